#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "fabric/fabric.h"
#include "ni/interface.h"
#include "system/output/vcd_file.h"
#include "topology/topology.h"

namespace coppice::system {

// Writes a value change dump of selected accelerators. For each network-interface port, it shows the timestep
// counter, the lockstep counter, the number of issued entries and the decoder's state. For each channel that
// leaves the node, it shows whether a flit enters the channel, and on which virtual channel. It samples
// signals at the end of every cycle without affecting the simulation.
class VcdProbe final : public sc_core::sc_module, public fabric::FabricObserver {
 public:
  // Throws ConfigError if `path` cannot be written.
  VcdProbe(const sc_core::sc_module_name& name, const std::string& path, const topology::Topology& topology,
           Femtoseconds period, std::vector<const ni::Interface*> nodes);

  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override;

  // Stops sampling at the end of the run.
  void stop() { stopped_ = true; }
  // Completes the file. Throws ModelError if it cannot be written.
  void finish() { file_.finish(); }

 private:
  // The signals' numbers in the file.
  struct PortSignals {
    std::size_t timestep;
    std::size_t lockstep;
    std::size_t issued;
    std::size_t decoder;  // shows a ni::DecoderState
  };
  struct ChannelSignals {
    std::size_t valid;  // 1 in a cycle in which a flit is granted the switch to this channel
    std::size_t vc;
    Cycles last = -1;  // the cycle of the last flit
    int last_vc = 0;
  };
  struct Node {
    const ni::Interface* interface;
    std::vector<PortSignals> ports;
    std::vector<ChannelSignals> channels;  // [output port]: signals of its channel
  };

  void sample();
  void add_signals(Node& node, int ports, std::size_t channels);

  VcdFile file_;
  Femtoseconds period_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Node*> by_id_;  // [node]; nullptr if not selected
  bool settled_ = false;      // whether all other processes of the cycle have run
  bool stopped_ = false;
};

}  // namespace coppice::system
