#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <systemc>
#include <vector>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "fabric/failure.h"
#include "fabric/fluid/buffer_space.h"
#include "fabric/fluid/max_min.h"
#include "fabric/framing.h"
#include "fabric/route_changes.h"
#include "fabric/route_timing.h"
#include "topology/topology.h"

namespace coppice::fabric {

inline constexpr auto kFemto = static_cast<double>(kFemtosecondsPerSecond);

// A fabric whose simulation cost is proportional to the number of flow arrivals. A message is modelled as a
// flow that carries the bytes of all its flits along its route. Until the next arrival, departure or change
// of route, all flows have the max-min fair rates for the channels, including the network interfaces'
// channels. Routers are not simulated. Instead, the tail is delayed by the route's zero-load latency, and if
// the slots of a virtual channel do not cover the credit loop, a message is limited to the rate that its
// credits allow on an empty network. The fabric is intended for large networks and for runs that last for
// seconds. If flows share links, times are estimates, because input-queued routers do not fill every link.
//
// If other messages leave space in the input buffers upstream of the channel that limits a message, bytes of
// the message wait there. The message then consists of two flows: `up`, which ends before that channel, and
// `down`, which begins at the channel. While no bytes wait or while the buffers are full, the message is a
// single (whole) flow. Once a message's last byte has left the port, the port starts its next message while
// the waiting bytes drain.
//
// Times are exact to a femtosecond: a flow ends when its last byte has passed. Network interfaces are
// clocked, so they observe the end in the next whole cycle.
class FluidFabric final : public sc_core::sc_module,
                          public Fabric,
                          public RouteChanges,
                          public StatisticsOwner {
 public:
  // All references must outlive the fabric. Exceptions thrown in the fabric's process are stored in
  // `failure`.
  FluidFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
              const config::SystemConfig& system, const Framing& framing, int ni_ports, Failure& failure);

  void connect(NodeId node, int port, Injector& injector, Ejector& ejector) override;
  void wake(NodeId node, int port, Cycles at) override;
  const FabricStatistics& statistics() const override { return statistics_; }
  void read_statistics(const Reader& read) const override { statistics_.read(read); }
  bool idle() const override { return in_flight_ == 0; }
  // Throws ModelError unless every message's rate, integrated over time, equals its size and no channel has
  // exceeded its bandwidth.
  void check_conservation() const override;
  std::string describe_packets(int limit) const override;
  Cycles last_movement() const override { return last_movement_; }
  Femtoseconds period() const override { return period_; }
  // Observers receive the rate of each flow at the port that sends it. A channel counts as busy from the
  // start of its first flow to the end of its last flow, regardless of their rates.
  void add_observer(FabricObserver& observer) override { observers_.push_back(&observer); }

  void reroute(NodeId node, int port, NodeId dst, const topology::Route& route) override;
  void set_channel(topology::ChannelId channel, bool alive) override;
  // The rate, in bytes per second, of the message that a port is sending; 0 if the message is stalled,
  // nullopt if the port has no message.
  std::optional<double> rate(NodeId node, int port) const;

 private:
  using FlowIndex = std::int32_t;
  static constexpr MaxMinRates::FlowId kNone = -1;

  // A message that is entering or crossing the network.
  struct Flow {
    std::uint64_t message = 0;
    NodeId dst = topology::kNoNode;
    std::int32_t port = -1;      // injection port, as an index into ports_
    std::int32_t ejection = -1;  // ejection port, as an index into ports_
    const topology::Route* route = nullptr;
    std::vector<std::int32_t> links;  // injection channel, channels of the route, ejection channel
    // The flow that determines the rate of the message until its last byte has left the port. If the message
    // is a single flow, it spans all links.
    MaxMinRates::FlowId up = kNone;
    MaxMinRates::FlowId down = kNone;  // spans the links from links[split] on
    std::size_t split = 0;             // index of the link before which bytes wait
    double window = 0;                 // maximum number of bytes that may wait
    std::vector<double> held;          // [link]: space held at the end of the link
    double bytes = 0;                  // total number of bytes on the wire
    double injected = 0;               // number of bytes injected at time `since`
    double drained = 0;                // number of bytes past links[split] at time `since`
    double up_counted = 0;             // the part of `injected` that carried_ includes
    double down_counted = 0;           // the part of `drained` that carried_ includes
    double up_rate = 0;                // rate since time `since`, in bytes per second
    double down_rate = 0;
    Femtoseconds since = 0;
    std::int64_t flits = 0;
    std::int64_t packet_flits = 0;
    Cycles latency = 0;
    // The version of the flow's next event, which increases when the time of the event changes.
    std::uint32_t version = 0;
    std::int64_t split_in = -1;  // number of the last settlement in which the flow was split
    std::int64_t touched_in = -1;

    bool injecting() const { return up != kNone; }
    bool whole() const { return injecting() && down == kNone; }
    double waiting() const { return injected - drained; }
    // The tolerance for comparing numbers of bytes: the bytes transferred in a femtosecond, plus rounding
    // errors.
    double rounding() const { return (up_rate + down_rate) / kFemto + bytes * 1e-9; }
  };
  struct Port {
    Injector* injector = nullptr;
    Ejector* ejector = nullptr;
    FlowIndex flow = -1;                  // the flow that is leaving the port
    std::vector<FlowIndex> flows;         // flows that have left the port but have not arrived
    bool sending = false;                 // whether the NI has yet to be notified that the tail has left
    NodeId rerouted = topology::kNoNode;  // destination whose messages use `route` instead of their own
    const topology::Route* route = nullptr;
  };
  enum class EventKind : std::uint8_t { kEjected, kInjected, kWake, kFlow, kSettle };
  struct Event {
    Femtoseconds at;
    EventKind kind;
    std::int32_t index;  // index into ports_, or into flows_ for kFlow
    std::uint64_t message;
    std::uint32_t version;
    bool operator>(const Event& other) const {
      if (at != other.at) return at > other.at;
      return kind != other.kind ? kind > other.kind : index > other.index;
    }
  };

  void tick();
  void process(const Event& event);
  void schedule(const Event& event);
  void settle();  // updates the rates at the current time
  Femtoseconds next_cycle(Femtoseconds time) const { return (time + period_ - 1) / period_ * period_; }
  std::int32_t port_index(NodeId node, int port) const { return node * ni_ports_ + port; }

  void try_start(std::int32_t port);
  void start(std::int32_t port, const Message& message);
  void set_route(Flow& flow, const topology::Route& route);
  void use_vcs(const Flow& flow);
  void pace(Flow& flow, const RouteTiming& timing);
  // The number of cycles for which the port waits for credits, and the number for the whole packet.
  struct PacketStall {
    Cycles port = 0;
    Cycles packet = 0;
  };
  PacketStall packet_stall(const Flow& flow) const;
  void restart(FlowIndex index, const topology::Route& route, Femtoseconds now);
  std::vector<std::int32_t> links_of(std::int32_t port, const topology::Route& route) const;

  // The stages of a flow's life, defined in fluid_flows.cpp.
  FlowIndex new_flow();
  MaxMinRates::FlowId add_rate(FlowIndex index, std::span<const std::int32_t> links);
  void progress(Flow& flow, Femtoseconds now) const;
  void advance(FlowIndex index);
  void leave_port(FlowIndex index);
  void finish(FlowIndex index);
  void touch(FlowIndex index);
  void update_rates();
  bool decide(FlowIndex index);
  bool split(FlowIndex index, std::size_t at);
  void merge(Flow& flow);
  double room(Flow& flow, std::size_t before);
  void predict(FlowIndex index);

  // Functions that report a flow to observers and statistics.
  void account(Flow& flow);
  void carry(std::span<const std::int32_t> links, double bytes);
  void occupy(std::span<const std::int32_t> links, Femtoseconds now);
  void vacate(std::span<const std::int32_t> links, Femtoseconds now);
  void show_rate(std::int32_t port, double rate) const;

  const topology::Topology* topology_;
  const config::SystemConfig* system_;
  Framing framing_;
  int ni_ports_;
  Femtoseconds period_;
  std::vector<double> capacities_;  // [link]: capacity while the link works
  // Links are numbered in this order: channels, injection channels of the ports, ejection channels of the
  // ports.
  MaxMinRates rates_;
  BufferSpace space_;               // space in the buffers at the ends of channels and injection channels
  std::vector<FlowIndex> flow_of_;  // [id of rates_]
  std::vector<Flow> flows_;
  std::vector<FlowIndex> free_flows_;
  std::vector<FlowIndex> touched_;  // flows whose next event must be predicted again
  std::vector<Port> ports_;         // [interface][NI port]
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  sc_core::sc_event wake_event_;
  // [channel]: one bit for each virtual channel that may be used by the routes seen so far.
  std::vector<std::uint64_t> used_vcs_;
  Femtoseconds now_ = 0;
  Femtoseconds next_tick_ = -1;
  bool unsettled_ = false;
  std::int64_t settlement_ = 0;
  Cycles last_movement_ = 0;
  std::int64_t in_flight_ = 0;
  double bytes_sent_ = 0;        // total bytes of all messages that have started
  double bytes_carried_ = 0;     // integral of all rates over time
  std::vector<double> carried_;  // [link]: bytes that the link has carried
  struct Busy {
    std::int32_t flows = 0;
    Femtoseconds since = 0;
    double carried = 0;  // value of carried_ at time `since`
  };
  std::vector<Busy> busy_;  // [channel]
  std::vector<FabricObserver*> observers_;
  FabricStatistics statistics_;
  Failure* failure_;
};

}  // namespace coppice::fabric
