#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cosim/ni_model.h"
#include "cosim/rtl_terminal.h"
#include "ni/network_interface.h"

namespace coppice::cosim {

// Returns the reason why a Verilated network interface does not support this system, with a remedy; empty if
// it does.
std::string refuse_ni_settings(const config::SystemConfig& system, const topology::Topology& topology,
                               int ni_ports);
// Like refuse_ni_settings(), but checks only the limits of timing and packetisation, which apply to Verilog
// network interfaces of any size.
std::string refuse_ni_timing(const config::SystemConfig& system);
// The capacity for tables and routes, as given by NiLimits or by the limits of a context.
struct TableRoom {
  int lines = NiLimits::kLines;
  int flows = NiLimits::kFlows;
  int hops = NiLimits::kHops;
  int out_ports = 1 << NiLimits::kHopPortBits;
};
// Returns the reason why the RTL cannot run the schedule on the network interfaces of `nodes`; empty if it
// can.
std::string refuse_schedule(const config::SystemConfig& system, const schedule::Schedule& schedule,
                            const topology::Topology& topology, std::span<const topology::NodeId> nodes,
                            const TableRoom& room = {});
// Applies refuse_ni_settings() and refuse_schedule() to a schedule that uses all network interfaces.
std::string refuse_ni(const config::SystemConfig& system, const schedule::Schedule& schedule,
                      const topology::Topology& topology, int ni_ports);

// Replaces ni::NetworkInterface with rtl/ni/network_interface.v; cycles, flits and sums are the same. The RTL
// makes all decisions. This class only keeps the records for observers and results.
class RtlNetworkInterface final : public RtlTerminal, public ni::Interface {
 public:
  // Values are stored only if `buffer` is a ValueMemory. All references must outlive this module.
  RtlNetworkInterface(const sc_core::sc_module_name& name, NodeId node, int ports,
                      const ni::NiContext& context, fabric::FlitContext& flits, ni::GradientMemory& buffer,
                      FlitContents& contents, const std::string& wave_path);

  NodeId node() const override { return Terminal::node(); }
  int num_ports() const override { return static_cast<int>(ports_.size()); }
  void start(Cycles at) override;
  bool started() const override { return started_; }
  Cycles cycle_of(const sc_core::sc_time& time) const override {
    return (static_cast<Femtoseconds>(time.value()) + shared().period - 1) / shared().period;
  }
  bool finished() const override;
  std::string describe_waiting(Cycles now) const override;
  PortView view(int port, Cycles now) const override;

  void receive_flit(int port, int vc, fabric::Flit flit, Cycles now) override;
  void receive_credit(int port, int vc, Cycles now) override;
  void step(Cycles now) override;

 private:
  class Memory final : public WordMemory {
   public:
    explicit Memory(ni::GradientMemory& buffer);
    FlitBits read(std::uint32_t address) override;
    void write(std::uint32_t address, unsigned lanes, const FlitBits& words) override;
    bool kept() const { return values_ != nullptr; }

   private:
    ni::ValueMemory* values_;
  };
  struct Port {
    std::span<const TableEntry> table;
    // Indices of the table's messages, in the order in which the RTL issues them.
    std::vector<std::size_t> sends;
    std::size_t next_send = 0;  // index in `sends` of the next message to issue
  };

  void load();
  void expect_next_message(int port, Cycles now);
  void issue(int port, Cycles released, Cycles now);
  const topology::Route& route_of(const ni::MessageRecord& record) const override {
    return shared().schedule->routes[static_cast<std::size_t>(record.entry->route)];
  }

  Memory memory_;
  std::vector<Port> ports_;
  std::unique_ptr<NiModel> model_;
  std::vector<NiTableSize> sizes_;  // [port]
  bool started_ = false;
  // Used only for the records of messages.
  ni::DependencyTracker tracker_;
  ni::Enablers enablers_;
  ni::RouteTimes route_times_;
};

}  // namespace coppice::cosim
