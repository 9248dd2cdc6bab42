#pragma once

#include <vector>

#include "schedule/pipelined_trees/pipelined_trees.h"

namespace coppice::schedule {

// One or two trees of a hierarchy of switches whose links are separate channels (DimensionSpec::bundled), no
// channel used twice: a double binary tree in every group of the lowest dimension, whose roots are joined by
// one in every group of the next dimension, and so on. With dimensions that are powers of two, the trees have
// log2 P levels of edges. Every edge has its own link at the accelerators on both ends. Throws
// UnsupportedError for other topologies, and if an accelerator has fewer links than edges: two trees need
// four links in every dimension of size 4 and more.
std::vector<LinkedTree> hierarchy_trees(const topology::Topology& topology, int count);

}  // namespace coppice::schedule
