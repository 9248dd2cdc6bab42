#pragma once

#include <utility>
#include <vector>

#include "schedule/compiler.h"

namespace coppice::schedule {

// A binary tree over ranks 0 .. n-1: parent[r], -1 at the root.
using BinaryTree = std::vector<int>;

// Two binary trees in which (with an even number of ranks) every rank but the roots is a leaf of one and an
// inner node of the other (Sanders, Speck, Träff 2009): rank 0 above an in-order tree of the others, and its
// mirror image, or with an odd number its shift by one rank.
std::pair<BinaryTree, BinaryTree> double_binary_tree(int ranks);

// All-reduce over two binary trees as in NCCL: half of the data is summed up each tree and broadcast down
// again, the halves cut into CompileRequest::chunks pieces that follow each other a timestep apart. A tree's
// broadcast begins when its sums are complete. Messages are routed. Throws UnsupportedError for the other
// collectives.
class DoubleTreeCompiler final : public Compiler {
 public:
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
