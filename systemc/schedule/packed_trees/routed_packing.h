#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// The directions in which a tree is used: up to reduce, down to gather, or both.
struct TreeDirections {
  bool up = false;
  bool down = false;
};

// Trees that each carry an equal share of the data. Their channels may be one-way, may have any bandwidth,
// and may lead through switches.
struct RoutedPacking {
  std::vector<PackedTree> trees;
  double ns_per_byte = 0;  // how long the busiest channel takes per byte of a tree's share
};

// Packs one tree for each element of `roots`; kNoNode allows any root. Trees grow edge by edge over the
// channels that are used least in proportion to their bandwidth. For at most `rounds` rounds, each tree in
// turn is then removed and regrown if that evens out the use of channels. The result is approximate; callers
// check how close it is to the optimum. If trees are used in both directions and every channel has an equally
// fast reverse channel, values retrace the paths of the sums. Throws UnsupportedError if an accelerator
// cannot be reached.
RoutedPacking pack_routed(const topology::Topology& topology, const CompileRequest& request,
                          std::span<const topology::NodeId> roots, TreeDirections ways, int rounds);

// How long the busiest channel takes per byte of a tree's share.
double congestion_ns(const topology::Topology& topology, std::span<const PackedTree> trees);

}  // namespace coppice::schedule
