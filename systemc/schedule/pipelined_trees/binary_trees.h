#pragma once

#include <utility>
#include <vector>

namespace coppice::schedule {

// A binary tree over ranks 0 to n - 1: the parent of each rank; -1 for the root.
using BinaryTree = std::vector<int>;

// Two binary trees in which every rank except the roots is a leaf of one tree and an inner node of the other,
// for an even number of ranks (Sanders, Speck, Träff 2009). In the first, rank 0 is above an in-order tree of
// the others; the second is its mirror image or, for an odd number of ranks, the first tree shifted by one
// rank.
std::pair<BinaryTree, BinaryTree> double_binary_tree(int ranks);

}  // namespace coppice::schedule
