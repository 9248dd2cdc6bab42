#include "schedule/trees.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "schedule/builder.h"
#include "schedule/links.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

bool uses_channels(const Trees& trees) {
  return std::ranges::any_of(trees.trees, [](const auto& tree) {
    return std::ranges::any_of(tree, [](const TreeEdge& edge) { return edge.channel >= 0; });
  });
}

std::vector<Chunk> cut_into_pieces(const CompileRequest& request, int accelerators, int pieces) {
  std::vector<Chunk> flows;
  for (const Chunk& chunk : split_into_chunks(request.size, request.element, accelerators)) {
    for (const Chunk& piece : split_into_chunks(chunk.bytes, request.element, pieces)) {
      flows.push_back({.address = chunk.address + piece.address, .bytes = piece.bytes});
    }
  }
  return flows;
}

// Channels from `root` to the farthest accelerator.
int farthest(const Topology& topology, NodeId root) {
  std::vector<int> distance(static_cast<std::size_t>(topology.num_nodes()), -1);
  std::vector<NodeId> reached{root};
  distance[static_cast<std::size_t>(root)] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const ChannelId id : topology.out_channels(reached[i])) {
      const NodeId next = topology.channel(id).dst;
      if (distance[static_cast<std::size_t>(next)] >= 0) continue;
      distance[static_cast<std::size_t>(next)] = distance[static_cast<std::size_t>(reached[i])] + 1;
      reached.push_back(next);
    }
  }
  int most = 0;
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    if (distance[static_cast<std::size_t>(node)] < 0) {
      throw UnsupportedError(fmt::format("accelerator {} cannot reach accelerator {}", root, node));
    }
    most = std::max(most, distance[static_cast<std::size_t>(node)]);
  }
  return most;
}

}  // namespace

Schedule schedule_trees(const Topology& topology, const CompileRequest& request, const std::string& algorithm,
                        const Trees& trees) {
  const bool reduces = request.collective != Collective::kAllGather;
  const bool gathers = request.collective != Collective::kReduceScatter;
  std::vector<ChannelId> reverse;
  if (reduces && uses_channels(trees)) reverse = reverse_channels(topology);
  std::vector<Send> sends;
  const auto accelerators = static_cast<std::size_t>(topology.num_accelerators());
  sends.reserve(trees.trees.size() * (accelerators - 1) * (reduces && gathers ? 2 : 1));
  for (std::size_t flow = 0; flow < trees.trees.size(); ++flow) {
    for (const TreeEdge& edge : trees.trees[flow]) {
      if (reduces) {
        sends.push_back({.op = Op::kReduce,
                         .flow = static_cast<std::int32_t>(flow),
                         .src = edge.child,
                         .dst = edge.parent,
                         .step = trees.steps + 1 - edge.step,
                         .channel = edge.channel < 0 ? -1 : reverse[static_cast<std::size_t>(edge.channel)]});
      }
      if (gathers) {
        sends.push_back({.op = Op::kGather,
                         .flow = static_cast<std::int32_t>(flow),
                         .src = edge.parent,
                         .dst = edge.child,
                         .step = (reduces ? trees.steps : 0) + edge.step,
                         .channel = edge.channel});
      }
    }
  }
  const auto flows = cut_into_pieces(request, topology.num_accelerators(), trees.pieces);
  return build_schedule(topology, request, algorithm, flows, sends);
}

int least_steps(const Topology& topology, int pieces) {
  const int n = topology.num_accelerators();
  if (n < 2) return 0;
  int least = 0;
  for (NodeId node = 0; node < n; ++node) least = std::max(least, farthest(topology, node));
  for (NodeId node = 0; node < n; ++node) {
    const int ways_in = static_cast<int>(topology.in_channels(node).size());
    least = std::max(least, (pieces * (n - 1) + ways_in - 1) / ways_in);
  }
  return least;
}

int depth_of(const Trees& trees) {
  int deepest = 0;
  for (const auto& tree : trees.trees) {
    std::vector<int> depth(trees.trees.size() / static_cast<std::size_t>(trees.pieces), 0);
    for (const TreeEdge& edge : tree) {
      int& child = depth[static_cast<std::size_t>(edge.child)];
      child = depth[static_cast<std::size_t>(edge.parent)] + 1;
      deepest = std::max(deepest, child);
    }
  }
  return deepest;
}

}  // namespace coppice::schedule
