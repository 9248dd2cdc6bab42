#pragma once

#include <cstdint>
#include <vector>

#include "schedule/trees/tree_steps.h"

namespace coppice::schedule {

// Whether timesteps with the shortest paths or those with the longest come first.
enum class PathsFirst : std::uint8_t { kShortest, kLongest };

// New numbers for the timesteps of trees through switches: [old number], from 1; a tree still extends only
// from nodes that joined in earlier timesteps. Data sent over a short path right after data over a long one
// catches up with the tail of the latter where the paths join; if timesteps are sorted by their longest path,
// this happens only where dependencies break the order. Without switches, the numbers do not change.
std::vector<std::int32_t> order_steps(const topology::Topology& topology, const Trees& trees,
                                      PathsFirst first);

}  // namespace coppice::schedule
