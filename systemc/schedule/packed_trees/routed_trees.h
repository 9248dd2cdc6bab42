#pragma once

#include <cstdint>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/link_trees.h"

namespace coppice::schedule {

// Chooses trees for any collective over any channels. Returns one choice for each of several numbers of
// trees: those with the lowest estimated times at the request's size. All owners of shares have the same
// number of trees; if the collective has a root, all trees have that root. Throws UnsupportedError if an
// accelerator cannot be reached.
std::vector<TreeChoice> choose_routed_trees(const topology::Topology& topology,
                                            const CompileRequest& request);

// The number of steps, of about 50 ns, in which `trees` trees grow once among accelerators with switches.
std::int64_t routed_steps(int accelerators, std::int64_t trees);

}  // namespace coppice::schedule
