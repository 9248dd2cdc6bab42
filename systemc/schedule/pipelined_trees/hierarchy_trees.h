#pragma once

#include <vector>

#include "schedule/pipelined_trees/pipelined_trees.h"

namespace coppice::schedule {

// One or two trees of a hierarchy of switches whose links are channels of their own (DimensionSpec::bundled),
// no channel used twice: a double binary tree in every group of the lowest dimension, its roots joined by one
// in every group of the next, and so on. With dimensions of powers of two that is log2 P levels of edges.
// Every edge has a link of the accelerators at its ends. Throws UnsupportedError for other topologies, and
// where an accelerator has fewer links than edges: two trees need four in every dimension of 4 and more.
std::vector<LinkedTree> hierarchy_trees(const topology::Topology& topology, int count);

}  // namespace coppice::schedule
