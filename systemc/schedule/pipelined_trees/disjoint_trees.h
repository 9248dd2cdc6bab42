#pragma once

#include <vector>

#include "schedule/pipelined_trees/placed_tree.h"

namespace coppice::schedule {

// `count` spanning trees of the accelerators that share no link, wherever there are any: links go from tree
// to tree until every tree spans (matroid union: Edmonds 1965; Roskind and Tarjan 1985). Exchanging links of
// the trees then makes them flatter, as far as a bounded number of tries goes; each is rooted where it is
// flattest. Empty if there are none. Throws UnsupportedError where accelerators have switches between them or
// a channel has none back.
std::vector<PlacedTree> disjoint_trees(const topology::Topology& topology, int count);

}  // namespace coppice::schedule
