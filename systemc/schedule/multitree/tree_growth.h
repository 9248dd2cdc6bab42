#pragma once

#include <array>
#include <cstdint>

#include "base/random.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// In which order trees look, within a timestep, for ways through switches.
enum class LookingOrder : std::uint8_t {
  kAsFarAsNeeded,  // a node at a time, the nearest to the parent that comes first
  kOneLinkFirst,   // all trees over one channel between switches at most, then further
  kFreshLast,      // from nodes that have held their data for longer, near and far, then from the others
  kNearestFirst,   // all trees near, then all one channel further, and so on
};

inline constexpr std::array kLookingOrders{LookingOrder::kAsFarAsNeeded, LookingOrder::kOneLinkFirst,
                                           LookingOrder::kFreshLast, LookingOrder::kNearestFirst};

// MultiTree's trees (multitree.h has the rules), `pieces` for every accelerator. With `random`, the trees
// take turns by how few accelerators they hold, at random among equals, instead of by root. Throws
// UnsupportedError if some accelerator cannot be reached.
Trees grow_trees(const topology::Topology& topology, int pieces, LookingOrder order,
                 Random* random = nullptr);

// `pieces` trees of one accelerator, in as few timesteps as any order and a few attempts at random give. The
// trees that hold the fewest accelerators go first, so that pieces follow one another down the same way.
Trees grow_trees_of(const topology::Topology& topology, NodeId root, int pieces, std::uint64_t seed);

}  // namespace coppice::schedule
