#include "system/output/vcd_probe.h"

#include <utility>

#include <fmt/format.h>

#include "fabric/sim_time.h"

namespace coppice::system {

VcdProbe::VcdProbe(const sc_core::sc_module_name& name, const std::string& path,
                   const topology::Topology& topology, Femtoseconds period,
                   std::vector<const ni::Interface*> nodes)
    : sc_module(name),
      file_("--vcd", path),
      period_(period),
      by_id_(static_cast<std::size_t>(topology.num_nodes()), nullptr) {
  for (const ni::Interface* interface : nodes) {
    auto node = std::make_unique<Node>();
    node->interface = interface;
    add_signals(*node, interface->num_ports(), topology.out_channels(interface->node()).size());
    by_id_[static_cast<std::size_t>(interface->node())] = node.get();
    nodes_.push_back(std::move(node));
  }
  SC_HAS_PROCESS(VcdProbe);
  SC_METHOD(sample);
}

void VcdProbe::add_signals(Node& node, int ports, std::size_t channels) {
  constexpr int kCounter = 32;
  constexpr int kState = 3;
  constexpr int kVc = 5;
  const topology::NodeId id = node.interface->node();
  for (int p = 0; p < ports; ++p) {
    const std::string prefix = fmt::format("ni_{}.port_{}.", id, p);
    node.ports.push_back({.timestep = file_.add(prefix + "timestep_counter", kCounter),
                          .lockstep = file_.add(prefix + "lockstep_counter", kCounter),
                          .issued = file_.add(prefix + "entries_issued", kCounter),
                          .decoder = file_.add(prefix + "decoder_state", kState)});
  }
  for (std::size_t c = 0; c < channels; ++c) {
    const std::string prefix = fmt::format("router_{}.out_{}.", id, c);
    node.channels.push_back({.valid = file_.add(prefix + "valid", 1), .vc = file_.add(prefix + "vc", kVc)});
  }
}

void VcdProbe::flit_sent(const fabric::FlitEvent& event, const fabric::Packet& /*packet*/, Cycles now) {
  Node* node = by_id_[static_cast<std::size_t>(event.node)];
  if (node == nullptr || event.out_port < 0 || event.ni_port >= 0) return;
  ChannelSignals& channel = node->channels[static_cast<std::size_t>(event.out_port)];
  channel.last = now;
  channel.last_vc = event.vc;
}

// Samples one delta cycle after all other processes, so that the sample does not depend on their order.
void VcdProbe::sample() {
  settled_ = !settled_;
  if (settled_) {
    next_trigger(sc_core::SC_ZERO_TIME);
    return;
  }
  const Cycles now = fabric::current_cycle(period_);
  const Femtoseconds at = now * period_;
  for (const auto& node : nodes_) {
    for (std::size_t p = 0; p < node->ports.size(); ++p) {
      const ni::Interface::PortView view = node->interface->view(static_cast<int>(p), now);
      const PortSignals& port = node->ports[p];
      file_.set(port.timestep, static_cast<std::uint32_t>(view.timestep), at);
      file_.set(port.lockstep, static_cast<std::uint32_t>(view.lockstep), at);
      file_.set(port.issued, static_cast<std::uint32_t>(view.issued), at);
      file_.set(port.decoder, static_cast<std::uint32_t>(view.state), at);
    }
    for (const ChannelSignals& channel : node->channels) {
      const bool valid = channel.last == now;
      file_.set(channel.valid, valid ? 1 : 0, at);
      if (valid) file_.set(channel.vc, static_cast<std::uint32_t>(channel.last_vc), at);
    }
  }
  if (!stopped_) next_trigger(fabric::to_sc_time(period_));
}

}  // namespace coppice::system
