#include "schedule/pipelined_trees/binary_trees.h"

namespace coppice::schedule {
namespace {

// Returns the in-order tree of ranks 1, 2, 3, ... The height of a rank above the leaves is the position of
// its lowest set bit. If the parent of a rank would be n or more and thus does not exist, the rank is
// attached to the next lower rank on its path to the root.
BinaryTree in_order_tree(int ranks) {
  BinaryTree parent(static_cast<std::size_t>(ranks), -1);
  for (int rank = 1; rank < ranks; ++rank) {
    const int bit = rank & -rank;
    const int above = (rank ^ bit) | (bit << 1);
    parent[static_cast<std::size_t>(rank)] = above < ranks ? above : rank ^ bit;
  }
  return parent;
}

}  // namespace

std::pair<BinaryTree, BinaryTree> double_binary_tree(int ranks) {
  const BinaryTree first = in_order_tree(ranks);
  BinaryTree second(first.size(), -1);
  // Maps a rank of the second tree to the rank at the same position in the first tree.
  const auto place = [&](int rank) { return ranks % 2 == 0 ? ranks - 1 - rank : (rank + ranks - 1) % ranks; };
  const auto rank_at = [&](int at) { return ranks % 2 == 0 ? ranks - 1 - at : (at + 1) % ranks; };
  for (int rank = 0; rank < ranks; ++rank) {
    const int above = first[static_cast<std::size_t>(place(rank))];
    second[static_cast<std::size_t>(rank)] = above < 0 ? -1 : rank_at(above);
  }
  return {first, second};
}

}  // namespace coppice::schedule
