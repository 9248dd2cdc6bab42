#pragma once

#include <vector>

#include "schedule/pipelined_trees/pipelined_trees.h"

namespace coppice::schedule {

// One or two trees that use no channel twice, on a hierarchy of switches whose links are separate channels
// (not DimensionSpec::bundled). Every group of the lowest dimension has a double binary tree, whose roots are
// joined by the double binary trees of the next dimension, and so on. If the dimensions are powers of two,
// the trees have log2 P levels of edges. Every edge has its own link at the accelerators on both ends. Throws
// UnsupportedError for other topologies, and if an accelerator has fewer links than edges: two trees need
// four links in every dimension of size 4 or more.
std::vector<LinkedTree> hierarchy_trees(const topology::Topology& topology, int count);

}  // namespace coppice::schedule
