#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/link_trees.h"

namespace coppice::schedule {

// Trees of any collective over any channels, with the numbers of trees that promise the least time for the
// request's size: equally many for each owner of a share; with a root, all are its own. Throws
// UnsupportedError if some accelerator cannot be reached.
std::vector<TreeChoice> choose_routed_trees(const topology::Topology& topology,
                                            const CompileRequest& request);

}  // namespace coppice::schedule
