#pragma once

#include <cstdint>
#include <vector>

#include "schedule/trees/tree_steps.h"

namespace coppice::schedule {

// Whether the timesteps with the shortest or with the longest paths come first.
enum class PathsFirst : std::uint8_t { kShortest, kLongest };

// Returns a new number for each timestep, from 1, for trees through switches. A tree still extends only from
// nodes that joined in earlier timesteps. Data that is sent over a short path right after other data was sent
// over a long path catches up with the tail of the earlier data where the two paths meet. If timesteps are
// sorted by their longest path, this happens only where dependencies break the order. Without switches, the
// numbers do not change.
std::vector<std::int32_t> order_steps(const topology::Topology& topology, const Trees& trees,
                                      PathsFirst first);

}  // namespace coppice::schedule
