#pragma once

#include <cstdint>
#include <vector>

#include "schedule/trees/tree_steps.h"

namespace coppice::schedule {

// Which of the timesteps come first.
enum class WaysFirst : std::uint8_t { kShortest, kLongest };

// New numbers of the timesteps of trees through switches: [old number], from 1; a tree still extends only
// from nodes that joined in earlier ones. Data over a short way, sent right after data over a long one, meets
// its tail where they come together: with the timesteps in order of their longest way, that happens at most
// where the order ends. Without switches nothing changes.
std::vector<std::int32_t> order_steps(const topology::Topology& topology, const Trees& trees,
                                      WaysFirst first);

}  // namespace coppice::schedule
