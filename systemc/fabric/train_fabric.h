#pragma once

#include <cstdint>
#include <queue>
#include <string>
#include <systemc>
#include <vector>

#include "config/config.h"
#include "fabric/fabric.h"
#include "fabric/failure.h"
#include "fabric/framing.h"
#include "topology/topology.h"

namespace coppice::fabric {

// Why a run cannot be told message by message: two trains met, or a condition of the closed form does not
// hold. what() names the first place and cycle.
class ContentionError : public ModelError {
 public:
  using ModelError::ModelError;
};

// The fabric at the cost of messages: a message is one train of flits, and every cycle of it is known when it
// starts. Cycle-identical to FlitFabric while the conditions below hold, and it checks them for every
// message; where one does not, it throws ContentionError instead of an answer.
//
// The closed form. Let T be the clock period, f the flit time of the slowest channel of the route (the pace
// of injection, InjectionPort), r, v, a, s, c the routing, VC allocation, switch allocation, switch
// traversal and credit delay, L a channel's latency in cycles, N the flits of a message and o(i) = ceil(i
// f/T).
//   injection        flit i leaves the NI at t0 + o(i), t0 = the first cycle at which the message is there
//   and
//                    the port free: o(N-1) + ceil(f/T) cycles after the start of the message before
//   first router     wins the switch at t0 + 2 + r + v + o(i)
//   next router      wins the switch (a - 1) + s + 1 + L + r + v cycles after it won the one before
//   ejection         (a - 1) + s + 1 + 1 cycles after the last switch
// that is, the train moves rigidly, at its pace, with a constant delay per hop. Why nothing holds it up:
//   1. Switch: flits of trains that never overlap on a channel, whatever router they come from or go to,
//   never
//      ask for one input or output port in the same cycle, since every flit spends the same time in a router.
//   2. Channel: a channel of flit time g <= f is free again g after a flit, less what the clock edge took
//   from
//      it; flit i + 1 follows no earlier (Router::occupy_channel).
//   3. Credits: a place is free again upstream R cycles after its flit won the switch, R = the channel's
//   delay
//      there, r + v, and the credit's way back. Depth D keeps the train going if floor(D f/T) >= R.
//   4. Virtual channels: a head is allocated one v cycles before it wins the switch, when the packet before
//   may
//      still hold its own; with two or more to choose from another is free. Taken in rotation it is never
//      that of the packet before, and the one before that has left the next router if each packet lasts r + v
//      cycles. With a single virtual channel, packets must keep r + v idle cycles between them.
// Not covered, and refused: shallower buffers (3), packets shorter than r + v cycles, packet-based messages
// over a single virtual channel (4).
class TrainFabric final : public sc_core::sc_module, public Fabric {
 public:
  // All references outlive the fabric; a ContentionError of its process ends up in `failure`.
  TrainFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
              const config::SystemConfig& system, const Framing& framing, int ni_ports, Failure& failure);

  void connect(NodeId node, int port, Injector& injector, Ejector& ejector) override;
  void wake(NodeId node, int port, Cycles at) override;
  const FabricStatistics& statistics() const override { return statistics_; }
  bool idle() const override { return trains_ == 0; }
  void check_conservation() const override;
  std::string describe_packets(int limit) const override;
  Cycles last_movement() const override { return last_movement_; }
  Femtoseconds period() const override { return period_; }
  void add_observer(FabricObserver& observer) override { observers_.push_back(&observer); }

 private:
  struct Port {
    Injector* injector = nullptr;
    Ejector* ejector = nullptr;
    Cycles free_at = 0;
    bool sending = false;
  };
  // A train's use of an output port: the switch is won in [begin, tail], the channel is free from `end`.
  struct Interval {
    Cycles begin;
    Cycles tail;
    Cycles end;
    std::uint64_t message;
  };
  enum class EventKind : std::uint8_t { kEjected, kInjected, kWake };
  struct Event {
    Cycles at;
    EventKind kind;
    std::int32_t port;  // index into ports_
    std::uint64_t message;
    bool operator>(const Event& other) const {
      if (at != other.at) return at > other.at;
      return kind != other.kind ? kind > other.kind : port > other.port;
    }
  };
  // A router's output port.
  struct Output {
    Cycles delay = 0;        // from one switch to the next router's input, or to the NI
    Cycles credit_loop = 0;  // R
    Femtoseconds flit_time = 0;
    NodeId to = topology::kNoNode;  // none: the NI
    std::int32_t channel = -1;
    std::vector<Interval> trains;  // ascending
  };

  void build(const config::SystemConfig& system);
  void tick();
  void process(const Event& event, Cycles now);
  void try_start(std::int32_t port, Cycles now);
  void start(std::int32_t port, const Message& message, Cycles now);
  void require_rigid(const Message& message, Femtoseconds pace, Cycles now) const;
  void occupy(NodeId node, Output& output, const topology::VcRange& vcs, const Message& message,
              const Interval& interval, Cycles now);
  void schedule(const Event& event);
  Cycles cycles(Femtoseconds time) const { return (time + period_ - 1) / period_; }
  Output& output(NodeId node, int port) {
    return outputs_[first_output_[static_cast<std::size_t>(node)] + static_cast<std::size_t>(port)];
  }

  const topology::Topology* topology_;
  Framing framing_;
  int ni_ports_;
  Femtoseconds period_;
  Cycles routing_and_allocation_;  // r + v
  int vcs_;
  int vc_depth_;
  Cycles injection_credit_loop_ = 0;
  std::vector<std::size_t> first_output_;  // [node]
  std::vector<Output> outputs_;
  std::vector<Port> ports_;  // [accelerator][NI port]
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  sc_core::sc_event wake_event_;
  Cycles next_tick_ = -1;
  Cycles last_movement_ = 0;
  std::int64_t trains_ = 0;  // under way
  FabricStatistics statistics_;
  std::vector<FabricObserver*> observers_;
  Failure* failure_;
};

}  // namespace coppice::fabric
