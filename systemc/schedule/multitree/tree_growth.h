#pragma once

#include <array>
#include <cstdint>

#include "base/random.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// The order in which trees search for paths through switches within a timestep.
enum class LookingOrder : std::uint8_t {
  kAsFarAsNeeded,  // one node at a time: the node nearest to the earliest parent
  kOneLinkFirst,   // all trees over at most one channel between switches, then without that limit
  kFreshLast,      // first from nodes that joined earlier, at any distance, then from the latest
  kNearestFirst,   // all trees without channels between switches, then with one, and so on
};

inline constexpr std::array kLookingOrders{LookingOrder::kAsFarAsNeeded, LookingOrder::kOneLinkFirst,
                                           LookingOrder::kFreshLast, LookingOrder::kNearestFirst};

// MultiTree's trees (see multitree.h for the rules), `pieces` per accelerator. With `random`, the trees with
// the fewest accelerators take their turn first, at random among equals, instead of in the order of roots.
// Throws UnsupportedError if some accelerator cannot be reached.
Trees grow_trees(const topology::Topology& topology, int pieces, LookingOrder order,
                 Random* random = nullptr);

// Accelerator 0's tree of grow_trees() with one piece on a torus for which may_translate() holds; the others
// are its translations. By induction over turns: if the occupied channels of a timestep are all channels of
// some directions, then every tree finds the translation of the same channel, and no tree takes another's. So
// a channel is occupied once this tree has used any channel in its direction.
Trees grow_tree_to_translate(const topology::Topology& topology);

// `pieces` trees of one accelerator, with the fewest timesteps found by trying every order and a few random
// attempts. The trees with the fewest accelerators take their turn first, so that pieces follow one another
// along the same paths.
Trees grow_trees_of(const topology::Topology& topology, NodeId root, int pieces, std::uint64_t seed);

}  // namespace coppice::schedule
