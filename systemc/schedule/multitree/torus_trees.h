#pragma once

#include <cstdint>
#include <optional>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Trees for a torus: the trees of accelerator 0, translated to every other. The copies of an edge then use
// the channels of its direction at every node exactly once, so trees in which no two edges share a direction
// and a timestep never share a channel. Each timestep gives every direction one new node, the nearest to the
// root first. Restarts with other choices among ties until least_steps() and the least depth are reached, at
// most `restarts` times. nullopt if translations do not map the graph onto itself.
std::optional<Trees> translated_trees(const topology::Topology& topology, int pieces, std::uint64_t seed,
                                      int restarts);

// Only the trees of accelerator 0.
std::optional<Trees> trees_to_translate(const topology::Topology& topology, int pieces, std::uint64_t seed,
                                        int restarts);

}  // namespace coppice::schedule
