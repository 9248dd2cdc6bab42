#include "system/machine/least_time.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/index.h"
#include "fabric/route_timing.h"
#include "system/machine/build.h"
#include "system/machine/protocols.h"
#include "topology/routing/distances.h"

namespace coppice::system {
namespace {

using topology::NodeId;

constexpr int kAllPairs = 512;
constexpr int kSweeps = 8;

// The latency of every channel, including the router behind it, in cycles.
std::vector<Cycles> hop_latencies(const config::SystemConfig& system, const topology::Topology& topology) {
  std::vector<Cycles> latencies;
  for (const topology::Channel& channel : topology.channels()) {
    latencies.push_back(fabric::hop_latency(system, channel));
  }
  return latencies;
}

std::pair<NodeId, Cycles> farthest(const topology::Topology& topology, std::span<const Cycles> distances) {
  std::pair<NodeId, Cycles> most{0, 0};
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    if (distances[index(node)] > most.second) most = {node, distances[index(node)]};
  }
  return most;
}

// The accelerators whose data all others need, or that need data from all others.
std::vector<NodeId> ends(const schedule::Schedule& schedule) {
  std::vector<bool> is_end(index(schedule.accelerators()),
                           schedule.requested() == schedule::Collective::kAllReduce);
  if (schedule.requested() != schedule::Collective::kAllReduce) {
    for (const schedule::Share& share : schedule::share_out(schedule)) is_end[index(share.owner)] = true;
  }
  std::vector<NodeId> result;
  for (NodeId node = 0; node < schedule.accelerators(); ++node) {
    if (is_end[index(node)]) result.push_back(node);
  }
  return result;
}

}  // namespace

double LeastTime::ns() const {
  return std::max(bandwidth.ns(), latency_ns);
}

Cycles least_latency(const config::SystemConfig& system, const topology::Topology& topology,
                     const schedule::Schedule& schedule) {
  if (schedule.accelerators() == 1) return 0;
  using Direction = topology::Distances::Direction;
  const topology::Distances distances(topology, schedule.requested() == schedule::Collective::kReduceScatter
                                                    ? Direction::kToNode
                                                    : Direction::kFromNode);
  const std::vector<Cycles> latencies = hop_latencies(system, topology);
  const auto farthest_of = [&](NodeId end) {
    return farthest(topology, distances.of<Cycles>(end, latencies));
  };
  const std::vector<NodeId> all = ends(schedule);
  Cycles most = 0;
  if (static_cast<int>(all.size()) <= kAllPairs) {
    for (const NodeId end : all) most = std::max(most, farthest_of(end).second);
  } else {
    NodeId at = all.front();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const auto [next, cycles] = farthest_of(at);
      most = std::max(most, cycles);
      // Continue only from accelerators that depend on all others, or on which all others depend.
      at = std::ranges::binary_search(all, next) ? next : all[static_cast<std::size_t>(sweep) + 1];
    }
  }
  return most + fabric::end_latency(system) +
         fabric::latency_cycles(launch_of(system, schedule), system.clock.period());
}

LeastTime find_least_time(const config::SystemConfig& system, const topology::Topology& topology,
                          const schedule::Schedule& schedule) {
  LeastTime least;
  if (schedule.requested() == schedule::Collective::kAllReduce) {
    least.bandwidth = topology::least_all_reduce_time(topology, schedule.data_size());
  } else {
    std::vector<Bytes> shares(index(topology.num_accelerators()));
    for (const schedule::Share& share : schedule::share_out(schedule)) {
      shares[index(share.owner)] += share.data.bytes;
    }
    least.bandwidth = topology::least_share_time(topology, schedule.collective, shares);
  }
  const Femtoseconds latency = least_latency(system, topology, schedule) * system.clock.period();
  least.latency_ns = static_cast<double>(latency) / static_cast<double>(kFemtosecondsPerNanosecond);
  return least;
}

schedule::Schedule outline_of(schedule::Collective collective, Bytes size, int accelerators, NodeId root) {
  schedule::Schedule outline;
  outline.collective = collective;
  outline.size = size;
  outline.nodes.resize(index(accelerators));
  if (root >= 0) outline.shares = {{.data = {.address = 0, .bytes = size}, .owner = root}};
  return outline;
}

}  // namespace coppice::system
