#pragma once

#include <cstdint>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Trees for any network without switches: in every timestep each accelerator matches its in-channels (one of
// k times the slowest one's bandwidth counts as k) to trees that it lacks and the channel's sender holds, the
// trees held by the fewest accelerators first (those of this timestep counted), then those with the shortest
// way from their root, then at random. Restarts until least_steps() is reached, at most `restarts` times,
// every other time without regard to the way's length, and returns the trees of the fewest timesteps, the
// shallowest among them. Throws UnsupportedError if an accelerator cannot be reached.
Trees matching_trees(const topology::Topology& topology, int pieces, std::uint64_t seed, int restarts);

}  // namespace coppice::schedule
