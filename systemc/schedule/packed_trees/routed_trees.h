#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/link_trees.h"

namespace coppice::schedule {

// Trees of any collective over any channels, in numbers that promise the least time for the request's size:
// where accelerators own shares as many of each, for a root all its own. Throws UnsupportedError if some
// accelerator cannot be reached.
std::vector<TreeChoice> choose_routed_trees(const topology::Topology& topology,
                                            const CompileRequest& request);

}  // namespace coppice::schedule
