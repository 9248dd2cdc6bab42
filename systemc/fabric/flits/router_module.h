#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "base/statistics.h"
#include "fabric/flits/flit_context.h"
#include "fabric/flits/flit_module.h"
#include "fabric/flits/router.h"

namespace coppice::fabric {

// The node of a router and the channels connected to the router.
struct RouterSpec {
  NodeId node = topology::kNoNode;
  int inputs = 0;                 // number of channels from other nodes; the local ports follow them
  int outputs = 0;                // number of channels to other nodes; the local ports follow them
  int local_ports = 0;            // number of ports of the network interface
  std::vector<OutputRate> rates;  // [output, including local ports]
};

// A router module, written in SystemC or Verilog. The first ports in[i] and out[i] are bound to the channels
// from and to the neighbours, in the topology's port order. The remaining ports are bound to the channels of
// the local ports.
class RouterModule : public FlitModule, public StatisticsOwner {
 public:
  RouterModule(const sc_core::sc_module_name& name, const RouterSpec& spec)
      : FlitModule(name, spec.inputs + spec.local_ports, spec.outputs + spec.local_ports),
        node_(spec.node),
        outputs_(spec.outputs) {}

  // credits() is the number of downstream buffer slots known to be free, and buffered() is the number of
  // flits that wait at an input. When the network is idle, all slots must be free and no flits may wait
  // (Fabric::check_conservation()).
  virtual int credits(int out_port, int vc) const = 0;
  virtual int buffered(int in_port, int vc) const = 0;
  virtual bool output_vc_busy(int out_port, int vc) const = 0;
  // Describes each stuck packet in one line.
  virtual std::vector<std::string> describe_packets(const PacketPool& packets) const = 0;

  // The number of cycles from a flit's switch allocation until the flit is on its channel (flit_delay()), and
  // until the credit for its slot is on the channel in the other direction (slot_delay()).
  static Cycles flit_delay(const config::RouterConfig& router) {
    return router.sw_alloc_delay - 1 + router.st_delay + 1;
  }
  static Cycles slot_delay(const config::RouterConfig& router) { return router.sw_alloc_delay - 1 + 1; }

  NodeId node() const { return node_; }
  // The number of flits switched.
  std::int64_t flits() const;
  void read_statistics(const Reader& read) const override {
    read({"router", "flits", "", "Flits switched."}, static_cast<double>(flits()));
  }

 protected:
  // Returns the local port of an output; -1 if the output leads to another node.
  int local_port(int out_port) const { return out_port < outputs_ ? -1 : out_port - outputs_; }
  // Reports to the observers a flit that has won the switch.
  void report(FlitContext& context, int out_port, int vc, Flit flit, Cycles now) {
    moved(now);
    if (context.events.watched()) {
      context.events.report(FlitEvents::Stage::kSwitch, {node_, out_port, local_port(out_port), vc, flit},
                            context.packets[flit.packet], now);
    }
  }

 private:
  NodeId node_;
  int outputs_;
};

// Returns the hop that a packet takes at `node` in cycle `now`, according to its source route or the routing
// function. Throws ModelError if the packet exceeds the hop limit.
RouteDecision next_hop(FlitContext& context, NodeId node, PacketId id, Cycles now);

// The SystemC implementation of a router; its rules are those of Router. If a flit wins switch allocation in
// cycle t, the flit is on its channel from cycle t + (sw_alloc_delay - 1) + st_delay + 1 on, and the credit
// for its slot from cycle t + (sw_alloc_delay - 1) + 1 on.
class SystemCRouter final : public RouterModule, public Repeating, private RouterEnvironment {
 public:
  SystemCRouter(const sc_core::sc_module_name& name, const RouterSpec& spec, FlitContext& context);

  void receive_flit(int port, int vc, Flit flit, Cycles now) override {
    if (flit.is_head()) context_->packets.fetch(flit.packet);
    router_.receive_flit(port, vc, flit, now);
    set_next(now);
  }
  void receive_credit(int port, int vc, Cycles now) override {
    if (router_.receive_credit(port, vc)) set_next(now);
  }
  void arrive(std::uint64_t lines, Cycles now) override;
  void step(Cycles now) override;
  int credits(int out_port, int vc) const override { return router_.credits(out_port, vc); }
  int buffered(int in_port, int vc) const override { return router_.buffered(in_port, vc); }
  bool output_vc_busy(int out_port, int vc) const override { return router_.output_vc_busy(out_port, vc); }
  std::vector<std::string> describe_packets(const PacketPool& packets) const override;
  const Router& router() const { return router_; }
  // The values of flit_delay() and slot_delay() for this router's configuration.
  Cycles flit_delay() const { return flit_delay_; }
  Cycles slot_delay() const { return slot_delay_; }
  void visit(StateRecorder& recorder) override {
    visit_clocking(recorder);
    router_.visit(recorder);
  }
  void visit(StateShifter& shifter) override {
    visit_clocking(shifter);
    router_.visit(shifter);
  }

 private:
  friend class Router;
  friend class NodeStretch;

  RouteDecision route(NodeId node, PacketId id) override;
  RouteDecision detour(NodeId node, Packet& packet);
  void hop_chosen(NodeId node, PacketId packet) override;
  void send_flit(NodeId node, int out_port, int vc, Flit flit) override;
  void send_credit(NodeId node, int in_port, int vc) override;

  FlitContext* context_;
  Cycles flit_delay_;
  Cycles slot_delay_;
  Cycles now_ = 0;
  std::vector<topology::Hop> adaptive_;  // adaptive hops of the packet that was routed last
  Router router_;
};

}  // namespace coppice::fabric
