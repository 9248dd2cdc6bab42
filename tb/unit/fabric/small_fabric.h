#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fabric/failure.h"
#include "fabric/flits/flit_fabric.h"
#include "fabric/sim_time.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::fabric {

inline constexpr Femtoseconds kCycle = kFemtosecondsPerNanosecond;

// A link of one flit per 1-ns cycle by default, with `latency` in cycles.
inline topology::LinkSpec link(Cycles latency = 1, std::int64_t bytes_per_second = 16'000'000'000) {
  return {.bandwidth = {bytes_per_second}, .latency = latency * kCycle};
}

inline topology::Topology torus(const std::vector<int>& dims, const topology::LinkSpec& spec = link()) {
  return topology::make_torus(dims, std::vector(dims.size(), spec));
}

inline topology::Topology mesh(const std::vector<int>& dims, const topology::LinkSpec& spec = link()) {
  return topology::make_mesh(dims, std::vector(dims.size(), spec));
}

inline config::SystemConfig system_config(int vcs = 4, int depth = 16) {
  config::SystemConfig system;
  system.router.vcs = vcs;
  system.router.vc_depth = depth;
  return system;
}

// Offers packets in order, none before its creation, and sleeps in between.
class Source final : public Injector {
 public:
  void add(const Packet& packet) { packets_.push_back(packet); }
  Answer next_packet(Cycles now, Packet& packet) override {
    if (next_ == packets_.size() || packets_[next_].created > now) return Answer::kSleep;
    packet = packets_[next_++];
    return Answer::kPacket;
  }
  void packet_injected(const Packet& packet, Cycles now) override {
    injected.push_back({packet.tag, packet.head_injected, now});
  }

  struct Injected {
    std::uint64_t tag;
    Cycles head;
    Cycles tail;
  };
  std::vector<Injected> injected;

 private:
  std::vector<Packet> packets_;
  std::size_t next_ = 0;
};

class Sink final : public Ejector {
 public:
  void packet_ejected(const Packet& packet, Cycles now) override { arrivals.push_back({packet, now}); }

  struct Arrival {
    Packet packet;
    Cycles at;
  };
  std::vector<Arrival> arrivals;
};

class Recorder final : public FabricObserver {
 public:
  struct Seen {
    FlitEvent event;
    std::uint64_t tag;
    Cycles at;
  };
  void flit_sent(const FlitEvent& event, const Packet& packet, Cycles now) override {
    seen.push_back({event, packet.tag, now});
  }
  std::vector<Seen> seen;
};

// A FlitFabric with a source and a sink at every network-interface port.
class SmallFabric {
 public:
  SmallFabric(const std::string& name, topology::Topology graph,
              std::unique_ptr<topology::RoutingFunction> routing_function, const config::SystemConfig& system,
              int ni_ports = 1)
      : topology(std::move(graph)),
        routing(std::move(routing_function)),
        settings(system),
        ni_ports_(ni_ports) {
    set_time_resolution();
    fabric = std::make_unique<FlitFabric>(name.c_str(), topology, *routing, settings, ni_ports, failure);
    const auto count = static_cast<std::size_t>(topology.num_accelerators() * ni_ports);
    sources.resize(count);
    sinks.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      fabric->connect(static_cast<NodeId>(i) / ni_ports, static_cast<int>(i) % ni_ports, sources[i],
                      sinks[i]);
    }
  }
  // Uses dimension-order routing.
  SmallFabric(const std::string& name, const topology::Topology& graph, const config::SystemConfig& system,
              int ni_ports = 1)
      : SmallFabric(name, graph, topology::make_dimension_order_routing(graph, system.router.vcs), system,
                    ni_ports) {}

  // Call this before the simulation, in order of creation per source.
  void send(Cycles at, NodeId src, NodeId dst, int flits, std::uint64_t tag = 0, int port = 0,
            int ejection_port = 0) {
    Packet packet;
    packet.src = src;
    packet.dst = dst;
    packet.flits = static_cast<std::uint32_t>(flits);
    packet.tag = tag;
    packet.ejection_port = static_cast<std::uint16_t>(ejection_port);
    packet.created = at;
    source(src, port).add(packet);
    fabric->wake(src, port, at);
  }

  Source& source(NodeId node, int port = 0) {
    return sources[static_cast<std::size_t>(node * ni_ports_ + port)];
  }
  Sink& sink(NodeId node, int port = 0) { return sinks[static_cast<std::size_t>(node * ni_ports_ + port)]; }

  topology::Topology topology;
  std::unique_ptr<topology::RoutingFunction> routing;
  config::SystemConfig settings;
  Failure failure;
  std::unique_ptr<FlitFabric> fabric;
  std::vector<Source> sources;
  std::vector<Sink> sinks;

 private:
  int ni_ports_;
};

// Advances all fabrics of the process by `cycles`; the kernel skips cycles without events.
inline void run_cycles(Cycles cycles) {
  sc_core::sc_start(to_sc_time(cycles * kCycle));
}

}  // namespace coppice::fabric
