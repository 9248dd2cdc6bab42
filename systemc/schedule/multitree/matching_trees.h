#pragma once

#include <cstdint>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Trees for any network without switches. In every timestep each accelerator matches its in-channels (a
// channel k times as fast as the slowest counts as k) to trees that it lacks and the channel's sender holds,
// preferring trees held by the fewest accelerators (including those that join in this timestep), then those
// with the shortest path from the root; ties are broken at random. Restarts until least_steps() is reached,
// at most `restarts` times; every second attempt ignores path lengths. Returns the trees with the fewest
// timesteps, and of these the shallowest. Throws UnsupportedError if an accelerator cannot be reached.
Trees matching_trees(const topology::Topology& topology, int pieces, std::uint64_t seed, int restarts);

}  // namespace coppice::schedule
