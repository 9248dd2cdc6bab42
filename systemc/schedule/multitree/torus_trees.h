#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

// Whether the tables of a torus' translated trees, `pieces` per accelerator, should be stored as those of
// accelerator 0 (pattern_pays()): translations map the graph onto itself, and all channels have the same
// bandwidth.
bool may_translate(const topology::Topology& topology, const CompileRequest& request, int pieces);

// The schedule over the trees of accelerator 0 (`trees`) and all translations of these trees. Requires
// may_translate().
Schedule schedule_translations(const topology::Topology& topology, const CompileRequest& request,
                               const std::string& algorithm, const Trees& trees);

// Returns only the trees of accelerator 0.
std::optional<Trees> trees_to_translate(const topology::Topology& topology, int pieces, std::uint64_t seed,
                                        int restarts);

}  // namespace coppice::schedule
