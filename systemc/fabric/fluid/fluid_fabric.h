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
#include "fabric/fluid/max_min.h"
#include "fabric/framing.h"
#include "fabric/route_changes.h"
#include "fabric/route_timing.h"
#include "topology/topology.h"

namespace coppice::fabric {

// The fabric at the cost of flow arrivals: a message is a flow of its flits' bytes along its route, and all
// flows have the max-min fair rates of the channels (network interfaces' included) from one arrival,
// departure or change of route to the next. Routers have no buffers and no cycles here; what they cost
// without contention, the latency of the route, delays the tail, and where a virtual channel's places do not
// cover the credit loop a message is as slow as credits make it on an empty network. For multi-second runs of
// large networks; where flows share links it is a bound: input-queued routers do not fill every link.
//
// Times are exact to a femtosecond: a flow ends when its last byte is through at the rates it had. Network
// interfaces are clocked, so they see it in the next whole cycle.
class FluidFabric final : public sc_core::sc_module,
                          public Fabric,
                          public RouteChanges,
                          public StatisticsOwner {
 public:
  // All references outlive the fabric; exceptions of its process end up in `failure`.
  FluidFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
              const config::SystemConfig& system, const Framing& framing, int ni_ports, Failure& failure);

  void connect(NodeId node, int port, Injector& injector, Ejector& ejector) override;
  void wake(NodeId node, int port, Cycles at) override;
  const FabricStatistics& statistics() const override { return statistics_; }
  void read_statistics(const Reader& read) const override { statistics_.read(read); }
  bool idle() const override { return under_way_ == 0; }
  // Checks that every message has arrived with as many bytes as its rates add up to, and that no channel
  // exceeds its bandwidth.
  void check_conservation() const override;
  std::string describe_packets(int limit) const override;
  Cycles last_movement() const override { return last_movement_; }
  Femtoseconds period() const override { return period_; }
  // Observers see the rates of flows, and a channel as busy from its first flow's start to its last one's
  // end, whatever their rates: flows that share it show on the ports that send them.
  void add_observer(FabricObserver& observer) override { observers_.push_back(&observer); }

  void reroute(NodeId node, int port, NodeId dst, const topology::Route& route) override;
  void set_channel(topology::ChannelId channel, bool alive) override;
  // Bytes per second of the message that a port is sending; 0 if it is stalled, nullopt if there is none.
  std::optional<double> rate(NodeId node, int port) const;

 private:
  // A message entering or in the network.
  struct Flow {
    std::uint64_t message = 0;
    NodeId src = topology::kNoNode;
    NodeId dst = topology::kNoNode;
    const topology::Route* route = nullptr;
    std::int32_t ejection = 0;  // index into ports_
    MaxMinRates::FlowId id = -1;
    std::int64_t flits = 0;
    std::int64_t packet_flits = 0;
    double bytes = 0;      // on the wire
    double remaining = 0;  // at `since`
    double rate = 0;       // from `since` on
    Femtoseconds since = 0;
    std::uint32_t version = 0;  // of its end: raised when the end moves
    Cycles latency = 0;
  };
  struct Port {
    Injector* injector = nullptr;
    Ejector* ejector = nullptr;
    std::optional<Flow> flow;
    bool sending = false;                 // until the NI knows that the tail has left
    NodeId rerouted = topology::kNoNode;  // messages to it take `route` instead of their own
    const topology::Route* route = nullptr;
    std::uint32_t version = 0;
  };
  enum class EventKind : std::uint8_t { kEjected, kInjected, kWake, kEnd };
  struct Event {
    Femtoseconds at;
    EventKind kind;
    std::int32_t port;  // index into ports_
    std::uint64_t message;
    std::uint32_t version;
    bool operator>(const Event& other) const {
      if (at != other.at) return at > other.at;
      return kind != other.kind ? kind > other.kind : port > other.port;
    }
  };

  void tick();
  void process(const Event& event);
  void try_start(std::int32_t port);
  void start(std::int32_t port, const Message& message);
  void end(std::int32_t port, std::uint32_t version);
  void update_rates();
  void pace(std::int32_t port, const Flow& flow, const RouteTiming& timing);
  void progress(Flow& flow, Femtoseconds now) const;
  void account(const Flow& flow, double bytes);
  void occupy(const Flow& flow, Femtoseconds now);
  void vacate(const Flow& flow, Femtoseconds now);
  void show_rate(std::int32_t port, double rate) const;
  std::vector<std::int32_t> links_of(std::int32_t port, const topology::Route& route) const;
  Femtoseconds next_cycle(Femtoseconds time) const { return (time + period_ - 1) / period_ * period_; }
  void schedule(const Event& event);
  std::int32_t port_index(NodeId node, int port) const { return node * ni_ports_ + port; }
  void settle();  // rates are to be updated at the current time

  const topology::Topology* topology_;
  const config::SystemConfig* system_;
  Framing framing_;
  int ni_ports_;
  Femtoseconds period_;
  MaxMinRates rates_;                  // links: channels, then injection, then ejection channels of the ports
  std::vector<std::int32_t> port_of_;  // [flow id]
  std::vector<Port> ports_;            // [interface][NI port]
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  sc_core::sc_event wake_event_;
  Femtoseconds now_ = 0;
  Femtoseconds next_tick_ = -1;
  bool unsettled_ = false;
  Cycles last_movement_ = 0;
  std::int64_t under_way_ = 0;
  double bytes_sent_ = 0;        // of all messages, when they start
  double bytes_carried_ = 0;     // rates times time
  std::vector<double> carried_;  // the same per link
  struct Busy {
    std::int32_t flows = 0;
    Femtoseconds since = 0;
    double carried = 0;  // bytes over the channel until then
  };
  std::vector<Busy> busy_;  // [channel]
  std::vector<FabricObserver*> observers_;
  FabricStatistics statistics_;
  Failure* failure_;
};

}  // namespace coppice::fabric
