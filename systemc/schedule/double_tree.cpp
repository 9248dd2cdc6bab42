#include "schedule/double_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "schedule/builder.h"

namespace coppice::schedule {
namespace {

// In the in-order tree of 1, 2, 3, ... a rank's lowest set bit is its height above the leaves. Ranks from n
// on are left out: their subtrees hang from the next lower rank that exists.
BinaryTree in_order_tree(int ranks) {
  BinaryTree parent(static_cast<std::size_t>(ranks), -1);
  for (int rank = 1; rank < ranks; ++rank) {
    const int bit = rank & -rank;
    const int above = (rank ^ bit) | (bit << 1);
    parent[static_cast<std::size_t>(rank)] = above < ranks ? above : rank ^ bit;
  }
  return parent;
}

std::vector<int> depths_of(const BinaryTree& tree) {
  std::vector<int> depth(tree.size(), 0);
  for (std::size_t rank = 0; rank < tree.size(); ++rank) {
    for (int up = tree[rank]; up >= 0; up = tree[static_cast<std::size_t>(up)]) ++depth[rank];
  }
  return depth;
}

}  // namespace

std::pair<BinaryTree, BinaryTree> double_binary_tree(int ranks) {
  const BinaryTree first = in_order_tree(ranks);
  BinaryTree second(first.size(), -1);
  // Rank r of the second tree stands where this rank stands in the first.
  const auto place = [&](int rank) { return ranks % 2 == 0 ? ranks - 1 - rank : (rank + ranks - 1) % ranks; };
  const auto rank_at = [&](int at) { return ranks % 2 == 0 ? ranks - 1 - at : (at + 1) % ranks; };
  for (int rank = 0; rank < ranks; ++rank) {
    const int above = first[static_cast<std::size_t>(place(rank))];
    second[static_cast<std::size_t>(rank)] = above < 0 ? -1 : rank_at(above);
  }
  return {first, second};
}

Schedule DoubleTreeCompiler::compile(const topology::Topology& topology,
                                     const CompileRequest& request) const {
  if (request.collective != Collective::kAllReduce) {
    throw UnsupportedError(
        fmt::format("double_tree sums everything at two roots and broadcasts it: it does "
                    "all_reduce only, not {}",
                    to_string(request.collective)));
  }
  const auto trees = double_binary_tree(topology.num_accelerators());
  std::vector<Send> sends;
  std::int32_t flow = 0;
  for (const BinaryTree* tree : {&trees.first, &trees.second}) {
    const std::vector<int> depth = depths_of(*tree);
    const int deepest = *std::ranges::max_element(depth);
    for (int piece = 0; piece < request.chunks; ++piece, ++flow) {
      const int broadcast = deepest + request.chunks - 1;  // timesteps before it
      for (NodeId rank = 0; rank < topology.num_accelerators(); ++rank) {
        const int above = (*tree)[static_cast<std::size_t>(rank)];
        if (above < 0) continue;
        const int level = depth[static_cast<std::size_t>(rank)];
        sends.push_back({.op = Op::kReduce,
                         .flow = flow,
                         .src = rank,
                         .dst = above,
                         .step = deepest + 1 - level + piece});
        sends.push_back(
            {.op = Op::kGather, .flow = flow, .src = above, .dst = rank, .step = broadcast + level + piece});
      }
    }
  }
  const auto flows = split_into_chunks(request.size, request.element, 2 * request.chunks);
  return build_schedule(topology, request, "double_tree", flows, sends);
}

}  // namespace coppice::schedule
