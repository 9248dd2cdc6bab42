#pragma once

#include <vector>

#include "schedule/pipelined_trees/pipelined_trees.h"

namespace coppice::schedule {

// Returns one or two trees that use no channel twice, on a hierarchy of switches whose links are separate
// channels (see DimensionSpec::bundled). Every group of the lowest dimension has a double binary tree. The
// roots of these trees are joined by the double binary trees of the next dimension, and so on. If the sizes
// of the dimensions are powers of two, the trees have log2 P levels of edges for P accelerators. Each edge
// has a separate link at each of its accelerators. Throws UnsupportedError for other topologies, and if an
// accelerator has fewer links than edges. Two trees need four links in every dimension of size 4 or more.
std::vector<LinkedTree> hierarchy_trees(const topology::Topology& topology, int count);

}  // namespace coppice::schedule
