#include "schedule/trees/scheduled_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "base/error.h"
#include "schedule/compile/channel_paths.h"
#include "schedule/trees/link_allocator.h"
#include "schedule/trees/pack_trees.h"
#include "schedule/trees/timestep_order.h"
#include "topology/bounds/cut_bound.h"
#include "topology/connectivity.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

bool uses_channels(const Trees& trees) {
  return !trees.paths.empty() || std::ranges::any_of(trees.trees, [](const auto& tree) {
    return std::ranges::any_of(tree, [](const TreeEdge& edge) { return edge.channel >= 0; });
  });
}

// Returns reverse_channels() if messages return over the channels of the trees; otherwise, the result is
// empty.
std::vector<ChannelId> reverse_if_used(const Topology& topology, const CompileRequest& request,
                                       const Trees& trees) {
  if (request.collective == Collective::kAllGather || !uses_channels(trees)) return {};
  return reverse_channels(topology);
}

std::vector<Chunk> cut_into_flows(const CompileRequest& request, int accelerators, const Trees& trees) {
  const int pieces = trees.pieces;
  if (trees.root >= 0) return split_into_chunks(request.size, request.element, pieces);
  std::vector<Chunk> flows;
  for (const Chunk& chunk : split_into_chunks(request.size, request.element, accelerators)) {
    for (const Chunk& piece : split_into_chunks(chunk.bytes, request.element, pieces)) {
      flows.push_back({.address = chunk.address + piece.address, .bytes = piece.bytes});
    }
  }
  return flows;
}

// Returns the number of accelerators on the path from `root` to the farthest accelerator, excluding `root`.
int farthest(const Topology& topology, NodeId root) {
  std::vector<int> distance(static_cast<std::size_t>(topology.num_nodes()), -1);
  std::deque<NodeId> reached{root};
  distance[static_cast<std::size_t>(root)] = 0;
  int most = 0;
  while (!reached.empty()) {
    const NodeId node = reached.front();
    reached.pop_front();
    most = std::max(most, distance[static_cast<std::size_t>(node)]);
    for (const ChannelId id : topology.out_channels(node)) {
      const NodeId next = topology.channel(id).dst;
      const int steps = topology.is_accelerator(next) ? 1 : 0;
      int& known = distance[static_cast<std::size_t>(next)];
      const int found = distance[static_cast<std::size_t>(node)] + steps;
      if (known >= 0 && known <= found) continue;
      known = found;
      // Switches add no distance, so they are visited before the accelerators at the same distance.
      if (steps == 0) {
        reached.push_front(next);
      } else {
        reached.push_back(next);
      }
    }
  }
  return most;
}

std::int64_t divide_up(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

// Returns the number of timesteps that the worst cut requires. On a torus or mesh with a single bandwidth,
// the worst cut separates one accelerator from all others, and a search would be slow on large networks.
std::int64_t steps_of_cut(const Topology& topology, const LinkAllocator& links, int pieces) {
  if (topology::info_of(topology.kind()).grid && links.uniform()) return 0;
  const topology::CutBound cut = topology::worst_cut(topology);
  return divide_up(std::int64_t{pieces} * cut.data * links.slowest_bytes_per_second(), cut.bytes_per_second);
}

enum class Direction : std::uint8_t { kGather, kReduce };

// Returns the edges of the trees in the order in which their messages leave ports within a timestep. Edges
// are listed tree by tree. However, if all messages are routed and share a single timestep, edges are ordered
// by their position in the tree, because all accelerators would otherwise send to the same receiver first.
std::vector<std::pair<std::int32_t, const TreeEdge*>> edges_in_order(const Trees& trees) {
  std::vector<std::pair<std::int32_t, const TreeEdge*>> edges;
  for (std::size_t flow = 0; flow < trees.trees.size(); ++flow) {
    for (const TreeEdge& edge : trees.trees[flow]) edges.emplace_back(static_cast<std::int32_t>(flow), &edge);
  }
  const auto routed = [](const auto& edge) { return edge.second->channel < 0 && edge.second->path < 0; };
  if (trees.steps > 1 || !std::ranges::all_of(edges, routed)) return edges;
  std::ranges::stable_sort(edges, {}, [&](const auto& edge) {
    return edge.second - trees.trees[static_cast<std::size_t>(edge.first)].data();
  });
  return edges;
}

// Computes the delays of ports, counted in latencies, for trees over channels.
class Waits {
 public:
  explicit Waits(const Trees& trees) : trees_(trees), by_step_(static_cast<std::size_t>(trees.steps) + 1) {
    for (std::size_t tree = 0; tree < trees.trees.size(); ++tree) {
      for (const TreeEdge& edge : trees.trees[tree]) {
        by_step_[static_cast<std::size_t>(edge.step)].push_back({&edge, tree});
        nodes_ = std::max({nodes_, edge.child + 1, edge.parent + 1});
        channels_ = std::max(channels_, edge.channel + 1);
      }
    }
  }

  int most(Direction direction) {
    arrivals_.assign(static_cast<std::size_t>(nodes_) * trees_.trees.size(), {});
    late_.assign(static_cast<std::size_t>(channels_), 0);
    for (std::int32_t step = 1; step <= trees_.steps; ++step) {
      const bool gathers = direction == Direction::kGather;
      for (const auto& [edge, tree] :
           by_step_[static_cast<std::size_t>(gathers ? step : trees_.steps + 1 - step)]) {
        send(step, arrival(tree, gathers ? edge->parent : edge->child),
             arrival(tree, gathers ? edge->child : edge->parent),
             late_[static_cast<std::size_t>(edge->channel)]);
      }
    }
    return late_.empty() ? 0 : *std::ranges::max_element(late_);
  }

 private:
  struct Edge {
    const TreeEdge* edge;
    std::size_t tree;
  };
  // The arrival of a tree's data at a node: the timestep of the last arrival, and its delay.
  struct Arrival {
    std::int32_t step = 0;
    int late = 0;
  };

  Arrival& arrival(std::size_t tree, NodeId node) {
    return arrivals_[tree * static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(node)];
  }

  static void send(std::int32_t step, const Arrival& came, Arrival& goes, int& late) {
    if (came.step > 0 && came.step + 1 == step) late = std::max(late, came.late + 1);
    goes = {.step = step, .late = goes.step == step ? std::max(goes.late, late) : late};
  }

  const Trees& trees_;
  std::vector<std::vector<Edge>> by_step_;
  NodeId nodes_ = 1;
  ChannelId channels_ = 0;
  std::vector<Arrival> arrivals_;
  std::vector<int> late_;  // [channel]
};

}  // namespace

std::vector<ChannelPath> paths_both_ways(const Trees& trees, std::span<const ChannelId> reverse) {
  std::vector<ChannelPath> paths = trees.paths;
  if (reverse.empty()) return paths;
  for (const ChannelPath& path : trees.paths) {
    ChannelPath& back = paths.emplace_back();
    for (std::size_t i = path.size(); i-- > 0;) back.push_back(reverse[static_cast<std::size_t>(path[i])]);
  }
  return paths;
}

std::vector<Send> sends_of(const Topology& topology, const CompileRequest& request, const Trees& trees) {
  const bool reduces = request.collective != Collective::kAllGather;
  const bool gathers = request.collective != Collective::kReduceScatter;
  const std::vector<ChannelId> reverse = reverse_if_used(topology, request, trees);
  // Each phase ends with the timesteps that have the longest paths.
  const auto gather_step = order_steps(topology, trees, PathsFirst::kShortest);
  const auto reduce_step = order_steps(topology, trees, PathsFirst::kLongest);
  std::vector<Send> sends;
  const auto accelerators = static_cast<std::size_t>(topology.num_accelerators());
  sends.reserve(trees.trees.size() * (accelerators - 1) * (reduces && gathers ? 2 : 1));
  for (const auto& [flow, edge] : edges_in_order(trees)) {
    if (reduces) {
      sends.push_back(
          {.op = Op::kReduce,
           .flow = flow,
           .src = edge->child,
           .dst = edge->parent,
           .step = trees.steps + 1 - reduce_step[static_cast<std::size_t>(edge->step)],
           .channel = edge->channel < 0 ? -1 : reverse[static_cast<std::size_t>(edge->channel)],
           .path = edge->path < 0 ? -1 : edge->path + static_cast<std::int32_t>(trees.paths.size())});
    }
    if (gathers) {
      sends.push_back(
          {.op = Op::kGather,
           .flow = flow,
           .src = edge->parent,
           .dst = edge->child,
           .step = (reduces ? trees.steps : 0) + gather_step[static_cast<std::size_t>(edge->step)],
           .channel = edge->channel,
           .path = edge->path});
    }
  }
  return sends;
}

Schedule schedule_trees(const Topology& topology, const CompileRequest& request, const std::string& algorithm,
                        const Trees& trees) {
  const auto flows = cut_into_flows(request, topology.num_accelerators(), trees);
  if (auto packed = pack_trees(topology, request, algorithm, flows, trees)) return *std::move(packed);
  const std::vector<Send> sends = sends_of(topology, request, trees);
  Schedule schedule = build_schedule(topology, request, algorithm, flows, sends,
                                     paths_both_ways(trees, reverse_if_used(topology, request, trees)));
  if (trees.root >= 0) {
    schedule.shares = {{.data = {.address = 0, .bytes = request.size}, .owner = trees.root}};
  }
  return schedule;
}

int least_steps(const Topology& topology, int pieces) {
  const int n = topology.num_accelerators();
  if (n < 2) return 0;
  topology::require_connected(topology);
  const LinkAllocator links(topology);
  std::int64_t least = steps_of_cut(topology, links, pieces);
  for (NodeId node = 0; node < n; ++node) {
    std::int64_t ways_in = 0;
    for (const ChannelId id : topology.in_channels(node)) ways_in += links.capacity(id);
    // A connected accelerator has at least one incoming channel.
    const std::int64_t ingress =
        divide_up(std::int64_t{pieces} * (n - 1), std::max<std::int64_t>(ways_in, 1));
    least = std::max({least, std::int64_t{farthest(topology, node)}, ingress});
  }
  return static_cast<int>(least);
}

int depth_of(const Trees& trees) {
  int deepest = 0;
  for (const auto& tree : trees.trees) {
    // A spanning tree has an edge for every accelerator except the root.
    std::vector<int> depth(tree.size() + 1, 0);
    for (const TreeEdge& edge : tree) {
      int& child = depth[static_cast<std::size_t>(edge.child)];
      child = depth[static_cast<std::size_t>(edge.parent)] + 1;
      deepest = std::max(deepest, child);
    }
  }
  return deepest;
}

int waits_of(const Trees& trees) {
  Waits waits(trees);
  return waits.most(Direction::kGather) + waits.most(Direction::kReduce);
}

}  // namespace coppice::schedule
