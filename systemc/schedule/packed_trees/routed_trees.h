#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/link_trees.h"

namespace coppice::schedule {

// Trees of any collective over any channels, for the numbers of trees with the least estimated time for the
// request's size. Each owner of a share has the same number of trees; if the collective has a root, all trees
// have that root. Throws UnsupportedError if an accelerator cannot be reached.
std::vector<TreeChoice> choose_routed_trees(const topology::Topology& topology,
                                            const CompileRequest& request);

}  // namespace coppice::schedule
