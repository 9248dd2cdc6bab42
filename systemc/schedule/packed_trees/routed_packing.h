#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// The directions in which a tree is used: sums to its root, values from it, or both.
struct TreeDirections {
  bool up = false;
  bool down = false;
};

// Trees with equal shares of the data over any channels: one-way, of any bandwidth, or through switches.
struct RoutedPacking {
  std::vector<PackedTree> trees;
  double ns_per_byte = 0;  // time of the busiest channel, per byte of a tree's share
};

// Packs one tree for each of `roots` (kNoNode: any root). Trees grow edge by edge over the channels that are
// used least in proportion to their bandwidth; then each tree in turn is removed and regrown while that evens
// out the use of channels, for at most `rounds` rounds. The result is approximate; callers measure how close
// it is to the optimum. With both directions, values retrace the paths of sums if every channel has an
// equally fast reverse channel. Throws UnsupportedError if an accelerator cannot be reached.
RoutedPacking pack_routed(const topology::Topology& topology, const CompileRequest& request,
                          std::span<const topology::NodeId> roots, TreeDirections ways, int rounds);

// The time of the busiest channel per byte of a tree's share.
double congestion_ns(const topology::Topology& topology, std::span<const PackedTree> trees);

}  // namespace coppice::schedule
