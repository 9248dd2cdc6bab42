#pragma once

#include <cstdint>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Builds trees for any network without switches. In every timestep, each accelerator matches each of its
// incoming channels to a tree that contains the channel's sender but not the accelerator. A channel k times
// as fast as the slowest counts as k channels. Trees with the fewest accelerators, including those that join
// in this timestep, are preferred, then trees with the shortest path from the root; ties are broken at
// random. The construction is repeated until least_steps() is reached, at most `restarts` times; every second
// attempt ignores path lengths. Returns the trees with the fewest timesteps and, among these, the shallowest
// trees. Throws UnsupportedError if an accelerator cannot be reached.
Trees matching_trees(const topology::Topology& topology, int pieces, std::uint64_t seed, int restarts);

}  // namespace coppice::schedule
