#pragma once

#include <cstdint>
#include <optional>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Builds trees for a torus: the trees of accelerator 0 are translated to every other accelerator. The
// translated copies of an edge use the channel in the edge's direction exactly once at every node. Trees
// therefore share a channel in a timestep only if two edges of accelerator 0's trees have both the same
// direction and the same timestep. In each timestep, one new node joins in every direction; nodes near the
// root join first. The construction is repeated with ties broken differently until least_steps() and the
// least depth are reached, at most `restarts` times. Returns nullopt if translations do not map the graph
// onto itself.
std::optional<Trees> translated_trees(const topology::Topology& topology, int pieces, std::uint64_t seed,
                                      int restarts);

// Returns only the trees of accelerator 0.
std::optional<Trees> trees_to_translate(const topology::Topology& topology, int pieces, std::uint64_t seed,
                                        int restarts);

}  // namespace coppice::schedule
