#pragma once

#include <cstdint>
#include <optional>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Builds trees for a mesh. Every tree spreads dimension by dimension, in one of the possible orders of the
// dimensions. All paths are therefore shortest paths, and the orders determine the load of each channel. Hill
// climbing over random changes chooses the orders such that no channel carries more trees than it can serve
// in least_steps() timesteps. Timesteps are assigned afterwards: in each timestep, a channel serves the tree
// with the longest path beyond the channel. Returns nullopt if the topology is not a mesh.
std::optional<Trees> dimension_trees(const topology::Topology& topology, int pieces, std::uint64_t seed);

}  // namespace coppice::schedule
