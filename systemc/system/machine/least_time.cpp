#include "system/machine/least_time.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "config/lone_collective_config.h"
#include "fabric/route_timing.h"
#include "system/machine/build.h"

namespace coppice::system {
namespace {

using topology::NodeId;

constexpr int kAllPairs = 512;
constexpr int kSweeps = 8;

std::size_t index(NodeId node) {
  return static_cast<std::size_t>(node);
}

// The cycles of the fastest ways between one node and all others.
class Distances {
 public:
  // Away from the node, or towards it.
  Distances(const config::SystemConfig& system, const topology::Topology& topology, bool away)
      : system_(system), topology_(topology), away_(away), cycles_(index(topology.num_nodes())) {}

  // The accelerator that is farthest from `start`, and how far.
  std::pair<NodeId, Cycles> farthest(NodeId start) {
    find(start);
    std::pair<NodeId, Cycles> most{start, 0};
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      if (cycles_[index(node)] > most.second) most = {node, cycles_[index(node)]};
    }
    return most;
  }

 private:
  // Dijkstra's algorithm.
  void find(NodeId start) {
    using Reached = std::pair<Cycles, NodeId>;
    std::ranges::fill(cycles_, std::numeric_limits<Cycles>::max());
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> pending;
    cycles_[index(start)] = 0;
    pending.emplace(0, start);
    while (!pending.empty()) {
      const auto [cycles, node] = pending.top();
      pending.pop();
      if (cycles > cycles_[index(node)]) continue;
      for (const auto id : away_ ? topology_.out_channels(node) : topology_.in_channels(node)) {
        const topology::Channel& channel = topology_.channel(id);
        const NodeId next = away_ ? channel.dst : channel.src;
        const Cycles there = cycles + fabric::hop_latency(system_, channel);
        if (there >= cycles_[index(next)]) continue;
        cycles_[index(next)] = there;
        pending.emplace(there, next);
      }
    }
  }

  const config::SystemConfig& system_;
  const topology::Topology& topology_;
  bool away_;
  std::vector<Cycles> cycles_;
};

// The accelerators that all others have to hear of, or that have to hear of all others.
std::vector<NodeId> ends(const schedule::Schedule& schedule) {
  std::vector<bool> is_end(index(schedule.accelerators()),
                           schedule.collective == schedule::Collective::kAllReduce);
  if (schedule.collective != schedule::Collective::kAllReduce) {
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
  Distances distances(system, topology, schedule.collective != schedule::Collective::kReduceScatter);
  const std::vector<NodeId> all = ends(schedule);
  Cycles most = 0;
  if (static_cast<int>(all.size()) <= kAllPairs) {
    for (const NodeId end : all) most = std::max(most, distances.farthest(end).second);
  } else {
    NodeId at = all.front();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const auto [next, cycles] = distances.farthest(at);
      most = std::max(most, cycles);
      // Only ends have to be heard of.
      at = std::ranges::binary_search(all, next) ? next : all[static_cast<std::size_t>(sweep) + 1];
    }
  }
  return most + fabric::end_latency(system);
}

LeastTime find_least_time(const config::SystemConfig& system, const topology::Topology& topology,
                          const schedule::Schedule& schedule) {
  LeastTime least;
  if (schedule.collective == schedule::Collective::kAllReduce) {
    least.bandwidth = topology::least_all_reduce_time(topology, schedule.size);
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

LeastTime find_least_time(const config::Loaded& loaded, const topology::Topology& topology) {
  config::require_whole_collective(loaded);
  const config::CollectiveConfig& collective = loaded.config.collective;
  schedule::Schedule schedule;
  schedule.collective = parse_collective(collective.op);
  schedule.size = collective.size;
  schedule.nodes.resize(index(topology.num_accelerators()));
  if (has_root(collective)) {
    require_root(loaded, topology);
    schedule.shares = {{.data = {.address = 0, .bytes = collective.size}, .owner = collective.root}};
  }
  return find_least_time(loaded.config.system, topology, schedule);
}

}  // namespace coppice::system
