#pragma once

#include <utility>
#include <vector>

namespace coppice::schedule {

// A binary tree over ranks 0 .. n-1: parent[r], -1 at the root.
using BinaryTree = std::vector<int>;

// Two binary trees in which every rank except the roots is a leaf of one tree and an inner node of the other,
// for an even number of ranks (Sanders, Speck, Träff 2009): rank 0 above an in-order tree of the others, and
// its mirror image or, for an odd number of ranks, the tree shifted by one rank.
std::pair<BinaryTree, BinaryTree> double_binary_tree(int ranks);

}  // namespace coppice::schedule
