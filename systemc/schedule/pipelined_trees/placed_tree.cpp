#include "schedule/pipelined_trees/placed_tree.h"

#include <algorithm>

#include "schedule/compile/link_pool.h"

namespace coppice::schedule {

using topology::kNoNode;
using topology::Topology;

int depth_of(const PlacedTree& tree) {
  std::vector<int> depth(tree.edges.size() + 1, 0);
  for (const PlacedEdge& edge : tree.edges) {
    depth[static_cast<std::size_t>(edge.child)] = depth[static_cast<std::size_t>(edge.parent)] + 1;
  }
  return std::ranges::max(depth);
}

std::vector<LinkedTree> link_trees(const Topology& topology, std::span<const PlacedTree> trees) {
  NeighbourLinks links(topology);
  std::vector<LinkedTree> linked;
  for (const PlacedTree& tree : trees) {
    LinkedTree result{tree.root, {}};
    for (const PlacedEdge& edge : tree.edges) {
      TreeLink link{.child = edge.child, .parent = edge.parent, .up = {}, .down = {}};
      std::vector<NodeId> way{edge.child};
      if (edge.via != kNoNode) way.push_back(edge.via);
      way.push_back(edge.parent);
      for (std::size_t i = 0; i + 1 < way.size(); ++i) {
        const auto channels = links.claim(way[i], way[i + 1]);
        link.up.push_back(channels.there);
        link.down.insert(link.down.begin(), channels.back);
      }
      result.links.push_back(std::move(link));
    }
    linked.push_back(std::move(result));
  }
  return linked;
}

}  // namespace coppice::schedule
