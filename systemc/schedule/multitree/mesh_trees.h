#pragma once

#include <cstdint>
#include <optional>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Trees for a mesh: every tree spreads dimension by dimension, each in one of the possible orders of the
// dimensions, so all ways are shortest ways. A channel's load is then known beforehand; the orders are
// chosen, by hill climbing over random changes, so that no channel carries more trees than there are
// timesteps in least_steps(). Timesteps follow: in each, a channel serves the tree that has farthest to go
// beyond it. nullopt on anything but a mesh.
std::optional<Trees> dimension_trees(const topology::Topology& topology, int pieces, std::uint64_t seed);

}  // namespace coppice::schedule
