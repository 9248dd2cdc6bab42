#pragma once

#include <cstdint>
#include <vector>

#include "schedule/trees/tree_steps.h"

namespace coppice::schedule {

// Whether timesteps with the shortest paths or those with the longest come first.
enum class PathsFirst : std::uint8_t { kShortest, kLongest };

// New numbers for the timesteps of trees through switches: [old number], from 1; a tree still extends only
// from nodes that joined in earlier timesteps. Data on a short path that is sent right after data on a long
// one meets its tail where the paths join; with the timesteps sorted by their longest path, this happens only
// where the sorted order breaks. Without switches nothing changes.
std::vector<std::int32_t> order_steps(const topology::Topology& topology, const Trees& trees,
                                      PathsFirst first);

}  // namespace coppice::schedule
