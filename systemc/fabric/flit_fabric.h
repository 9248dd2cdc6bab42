#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <systemc>
#include <vector>

#include "config/config.h"
#include "fabric/delay_wheel.h"
#include "fabric/fabric.h"
#include "fabric/failure.h"
#include "fabric/flit_terminal.h"
#include "fabric/injection_port.h"
#include "fabric/router.h"
#include "fabric/router_stand_in.h"
#include "topology/routing.h"
#include "topology/topology.h"

namespace coppice::fabric {

// The reference fabric: every flit through every router, cycle by cycle.
//
// One clocked process steps the routers and injection ports that have work, in ascending order; all that
// passes between them is on its way for at least two cycles, so the order does not matter. Nothing runs in
// cycles without work. Timing, with t the cycle of a flit's switch allocation at a router and L the channel's
// latency in cycles: it is at the next router at t + (sw_alloc_delay - 1) + st_delay + 1 + L, and the buffer
// place it left is known free upstream at t + (sw_alloc_delay - 1) + 1 + L + credit_delay. Injection and
// ejection channels have a latency of one cycle.
class FlitFabric final : public sc_core::sc_module, public Fabric, private RouterEnvironment {
 public:
  // `routing` serves packets without a source route; `ni_ports` per network interface. All references outlive
  // the fabric; an exception of its process ends up in `failure`. Throws ModelError if a channel is faster
  // than one flit per cycle.
  FlitFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
             const topology::RoutingFunction& routing, const config::SystemConfig& system, int ni_ports,
             Failure& failure);

  void connect(NodeId node, int port, Injector& injector, Ejector& ejector) override;
  void wake(NodeId node, int port, Cycles at) override;
  // The network interface of `node` takes and gives flits itself, from cycle 0 on; not owned.
  void connect_terminal(NodeId node, FlitTerminal& terminal);
  // Every node's router is what `make` makes; before the simulation.
  void replace_routers(const MakeRouter& make);
  const FabricStatistics& statistics() const override { return statistics_; }
  bool idle() const override;
  void check_conservation() const override;
  std::string describe_packets(int limit) const override;

  void add_observer(FabricObserver& observer) override { observers_.push_back(&observer); }

  std::int64_t packets_in_flight() const { return packets_.in_flight(); }
  Cycles last_movement() const override { return last_movement_; }
  Femtoseconds period() const override { return period_; }

 private:
  struct Arrival {
    Flit flit;
    NodeId node;
    std::int16_t port;  // router input port, or, past the routers' ports, NI port of an ejection channel
    std::int8_t vc;
    bool ejects;
  };
  struct Credit {
    NodeId node;
    std::int16_t port;  // router output port, or NI port of an injection channel
    std::int8_t vc;
    bool to_injector;
  };
  // Where the flits of a router's output port go, or the credits of its input port.
  struct Endpoint {
    NodeId node = topology::kNoNode;
    std::int16_t port = 0;
    bool ni = false;   // the network interface's side of an injection or ejection channel
    Cycles delay = 0;  // of a flit, from switch allocation; of a credit, likewise
    std::int32_t channel = -1;
  };
  struct Wakeup {
    Cycles at;
    std::int32_t port;
    bool operator>(const Wakeup& other) const { return at > other.at; }
  };

  void build(const config::SystemConfig& system);
  void tick();
  void deliver(Cycles now);
  void eject(const Arrival& arrival, Cycles now);
  void inject(Cycles now);
  void inject_flit(NodeId node, int ni_port, int vc, Flit flit, Cycles now);
  void step_terminals(Cycles now);
  void step_routers(Cycles now);
  void schedule_next(Cycles now);
  Cycles next_event(Cycles now) const;  // -1: none

  RouteDecision route(NodeId node, PacketId packet) override;
  void send_flit(NodeId node, int out_port, int vc, Flit flit) override;
  void send_credit(NodeId node, int in_port, int vc) override;

  std::size_t ni_index(NodeId node, int port) const {
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(ni_ports_) +
           static_cast<std::size_t>(port);
  }

  const topology::Topology* topology_;
  const topology::RoutingFunction* routing_;
  int ni_ports_;
  int vcs_;
  int vc_depth_;
  Femtoseconds period_;
  int hop_limit_;  // more hops than any minimal route: livelock

  PacketPool packets_;
  std::vector<Router> routers_;
  std::vector<std::unique_ptr<RouterStandIn>> stand_ins_;  // [node], none where routers_ route
  std::vector<InjectionPort> injection_;                   // [interface][NI port]
  std::vector<Ejector*> ejectors_;                         // [interface][NI port]
  std::vector<Ejector*> flit_takers_;        // [interface][NI port], nullptr where flits are not wanted
  std::vector<FlitTerminal*> terminals_;     // [interface], nullptr where ports and ejectors serve
  std::vector<std::size_t> first_endpoint_;  // [node] of its ports, in downstream_ and upstream_
  std::vector<Endpoint> downstream_;         // output ports
  std::vector<Endpoint> upstream_;           // input ports
  Cycles ejection_credit_delay_ = 0;
  DelayWheel<Arrival> arrivals_;
  DelayWheel<Credit> credits_;

  PortSet awake_routers_;
  PortSet awake_injection_;
  PortSet awake_terminals_;
  std::priority_queue<Wakeup, std::vector<Wakeup>, std::greater<>> wakeups_;
  std::priority_queue<Wakeup, std::vector<Wakeup>, std::greater<>> terminal_wakeups_;
  sc_core::sc_event wake_event_;
  Cycles now_ = 0;
  Cycles next_tick_ = -1;
  Cycles last_movement_ = 0;
  Failure* failure_;

  FabricStatistics statistics_;
  std::vector<FabricObserver*> observers_;
};

}  // namespace coppice::fabric
