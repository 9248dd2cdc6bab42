#pragma once

#include <utility>
#include <vector>

namespace coppice::schedule {

// A binary tree over ranks 0 to n - 1, stored as the parent of each rank. The parent of the root is -1.
using BinaryTree = std::vector<int>;

// Returns two binary trees. If the number of ranks is even, every rank except the roots is a leaf of one tree
// and an inner node of the other tree (Sanders, Speck, Träff 2009). In the first tree, rank 0 is above an
// in-order tree of all other ranks. The second tree is the mirror image of the first or, for an odd number of
// ranks, the first tree shifted by one rank.
std::pair<BinaryTree, BinaryTree> double_binary_tree(int ranks);

}  // namespace coppice::schedule
