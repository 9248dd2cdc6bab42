#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "fabric/failure.h"
#include "fabric/flits/flit_context.h"
#include "fabric/flits/flit_node.h"
#include "fabric/flits/node_clock.h"
#include "fabric/flits/router_module.h"
#include "fabric/flits/terminal.h"
#include "fabric/wires/channel.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::fabric {

class Leaper;

// Factories for the replaceable parts of a flit network. An empty member selects the default part.
struct FlitParts {
  // Creates a node's router, which must be named `router`. The default is a SystemCRouter.
  std::function<std::unique_ptr<RouterModule>(const RouterSpec& spec, FlitContext& context)> make_router;
  // Creates the modules at the local ports of a node while the node is being constructed. The default is a
  // PacketTerminal named `terminal`, which connect() requires. The function must add all clocked modules to
  // the node, except the terminal, which the network adds. The network does not own these modules.
  struct LocalPorts {
    Terminal* terminal = nullptr;  // nullptr: the network creates a PacketTerminal
    // The ports that the network binds to the injection and ejection channels. They belong to the terminal or
    // to a module that contains it.
    sc_core::sc_vector<FlitModule::Port<FlitReceiveIf>>* in = nullptr;
    sc_core::sc_vector<FlitModule::Port<FlitSendIf>>* out = nullptr;
  };
  std::function<LocalPorts(FlitNode& node, NodeId id, int ports, FlitContext& context)> make_terminal;
};

// The reference fabric, which simulates every flit in every router cycle by cycle. It creates its modules at
// the current level of the hierarchy. Each node is a module node_N that contains its `router`, its
// `terminal`, and the channels `injection_P` and `ejection_P` between these two. Each channel between nodes
// is a module channel_U_V.
//
// If a flit wins switch allocation in cycle t and the channel's latency is L cycles, the flit reaches the
// next router in cycle t + (sw_alloc_delay - 1) + st_delay + 1 + L. In cycle t + (sw_alloc_delay - 1) + 1 + L
// + credit_delay, the upstream router learns that the flit's old buffer slot is free. Injection and ejection
// channels have a latency of one cycle.
class FlitNetwork : public Fabric {
 public:
  // `routing` chooses the hops of packets without a source route, and `ni_ports` is the number of ports of
  // each network interface. All references must outlive the network. Exceptions thrown in the network's
  // process are stored in `failure`. Up to `threads` threads simulate the nodes if they may run ahead of each
  // other (decouple()). Throws ModelError if a channel carries more than one flit per cycle.
  FlitNetwork(const topology::Topology& topology, const topology::RoutingFunction& routing,
              const config::SystemConfig& system, int ni_ports, Failure& failure, FlitParts parts = {},
              int threads = 1);
  ~FlitNetwork() override;

  // May be called only for nodes with a PacketTerminal.
  void connect(NodeId node, int port, Injector& injector, Ejector& ejector) override;
  void wake(NodeId node, int port, Cycles at) override;

  const FabricStatistics& statistics() const override;
  bool idle() const override;
  void check_conservation() const override;
  std::string describe_packets(int limit) const override;
  void add_observer(FabricObserver& observer) override {
    for (const auto& context : contexts_) context->events.add_observer(observer);
  }
  Cycles last_movement() const override;
  Femtoseconds period() const override { return period_; }

  // Lets nodes run ahead of each other by the latency of the shortest channel, but never as far as the cycle
  // set by run_to(). Observers still receive all events in chronological order. Calls `after_quantum`
  // whenever all nodes have reached the end of a quantum. Nothing else may act on the nodes while a quantum
  // is in progress.
  void decouple(std::function<void()> after_quantum);
  void run_to(Cycles end) { clock_->set_end(end); }
  // Enables leaps, which a Leaper attempts at the end of each quantum. Call this after decouple().
  void leap();
  // The number of cycles that leaps have skipped.
  Cycles leapt() const;
  // The number of cycles simulated in stretches (NodeStretch), summed over all nodes.
  std::int64_t stretched() const;
  // The minimum number of cycles that anything sent by one node takes to arrive at another node.
  Cycles lookahead() const;

  std::int64_t packets_in_flight() const;
  FlitContext& context() { return *contexts_.front(); }
  // The number of threads. Each thread simulates its own group of nodes.
  int threads() const { return decoupled_ ? static_cast<int>(contexts_.size()) : 1; }

 private:
  void build_node(NodeId node, FlitNode& module);
  void build_channels();
  RouterSpec router_spec(NodeId node) const;
  void gather();
  void stretch();
  void judge_stretches(Cycles now);
  int group_of(NodeId node) const { return group_of_[static_cast<std::size_t>(node)]; }

  const topology::Topology* topology_;
  const config::SystemConfig* system_;
  int ni_ports_;
  Femtoseconds period_;
  FlitParts parts_;
  std::vector<int> group_of_;                           // [node]
  std::vector<std::unique_ptr<FlitContext>> contexts_;  // [group]
  std::vector<Wire*> apart_;                            // wires between nodes of different groups
  std::unique_ptr<NodeClock> clock_;
  std::unique_ptr<Leaper> leaper_;
  std::vector<std::unique_ptr<SwitchStretch>> switches_;  // [group]; set only if nodes run in stretches
  bool decoupled_ = false;
  std::vector<std::unique_ptr<FlitNode>> nodes_;
  StretchJudge stretch_judge_;
  std::vector<std::unique_ptr<RouterModule>> routers_;  // [node]
  // [interface]; nullptr if the node has another kind of terminal.
  std::vector<std::unique_ptr<PacketTerminal>> packet_terminals_;
  std::vector<Terminal*> terminals_;                      // [interface]
  std::vector<std::unique_ptr<Channel>> local_channels_;  // of all nodes
  std::vector<std::unique_ptr<Channel>> channels_;        // [channel]
  mutable FabricStatistics statistics_;
};

// A FlitNetwork inside a module of its own.
class FlitFabric final : public sc_core::sc_module, public FlitNetwork {
 public:
  FlitFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
             const topology::RoutingFunction& routing, const config::SystemConfig& system, int ni_ports,
             Failure& failure, FlitParts parts = {}, int threads = 1)
      : sc_module(name),
        FlitNetwork(topology, routing, system, ni_ports, failure, std::move(parts), threads) {}
};

}  // namespace coppice::fabric
