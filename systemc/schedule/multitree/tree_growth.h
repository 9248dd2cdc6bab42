#pragma once

#include <array>
#include <cstdint>

#include "base/random.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// The order in which trees search for paths through switches within a timestep.
enum class LookingOrder : std::uint8_t {
  kAsFarAsNeeded,  // one node at a time: the node nearest to the earliest parent
  kOneLinkFirst,   // all trees search over at most one channel between switches, then over any number
  kFreshLast,  // first from nodes that joined earlier, at any distance, then from the nodes that joined last
  kNearestFirst,  // all trees search over no channels between switches, then over one, and so on
};

inline constexpr std::array kLookingOrders{LookingOrder::kAsFarAsNeeded, LookingOrder::kOneLinkFirst,
                                           LookingOrder::kFreshLast, LookingOrder::kNearestFirst};

// Grows the trees of MultiTree (multitree.h describes the rules), with `pieces` trees per accelerator. If
// `random` is given, trees do not take turns in the order of their roots. Instead, the trees with the fewest
// accelerators come first, and ties are broken at random. Throws UnsupportedError if some accelerator cannot
// be reached.
Trees grow_trees(const topology::Topology& topology, int pieces, LookingOrder order,
                 Random* random = nullptr);

// Grows only accelerator 0's tree of grow_trees() with one piece, on a torus for which may_translate() holds;
// all other trees are translations of this tree. Proof by induction over turns: if the occupied channels of a
// timestep are all channels of some directions, every tree finds the translation of the same channel, and no
// two trees use the same channel. A channel therefore counts as occupied once this tree has used any channel
// in the same direction.
Trees grow_tree_to_translate(const topology::Topology& topology);

// Grows `pieces` trees of one accelerator. Tries every order and a few random attempts, and returns the trees
// with the fewest timesteps. The trees with the fewest accelerators take their turn first, so that pieces
// follow one another along the same paths.
Trees grow_trees_of(const topology::Topology& topology, NodeId root, int pieces, std::uint64_t seed);

}  // namespace coppice::schedule
