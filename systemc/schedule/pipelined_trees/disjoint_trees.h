#pragma once

#include <vector>

#include "schedule/pipelined_trees/placed_tree.h"

namespace coppice::schedule {

// Returns `count` spanning trees of the accelerators that share no link, if such trees exist. Links move from
// tree to tree until every tree spans all accelerators (matroid union: Edmonds 1965; Roskind and Tarjan
// 1985). A bounded number of link exchanges then makes the trees flatter, and each tree is rooted at its
// center. The result is empty if there are no such trees. Throws UnsupportedError if there are switches
// between accelerators or if a channel has no reverse channel.
std::vector<PlacedTree> disjoint_trees(const topology::Topology& topology, int count);

}  // namespace coppice::schedule
