#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {

// Which of a tree's ways are wanted: sums to its root, values from it, or both.
struct TreeWays {
  bool up = false;
  bool down = false;
};

// Trees with equal shares of the data over any channels: one way, of any bandwidth, through switches.
struct RoutedPacking {
  std::vector<PackedTree> trees;
  double ns_per_byte = 0;  // of the busiest channel, of a tree's share
};

// A tree for each of `roots` (kNoNode: any root). Trees grow edge by edge where channels are used least for
// their bandwidth; then every tree in turn is taken out and grown anew for as long as that makes channels
// less unequally used, up to `rounds` times: an approximation, as near to the optimum as its caller measures.
// With both ways, values go back where sums came if every channel has one back of its bandwidth. Throws
// UnsupportedError naming an accelerator that cannot be reached.
RoutedPacking pack_routed(const topology::Topology& topology, const CompileRequest& request,
                          std::span<const topology::NodeId> roots, TreeWays ways, int rounds);

// The time of the busiest channel per byte of every tree's share.
double congestion_ns(const topology::Topology& topology, std::span<const PackedTree> trees);

}  // namespace coppice::schedule
