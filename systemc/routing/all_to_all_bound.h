#pragma once

#include <span>
#include <vector>

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::routing {

// A lower bound, with its proof, on the time of an all-to-all, in which every accelerator sends a block to
// every other accelerator. Assign arbitrary lengths to all channels. The block of a pair of accelerators then
// travels at least their distance, and in each unit of time, all channels together carry at most the sum of
// bandwidth times length. The all-to-all therefore takes at least the sum of all pairs' distances, times the
// size of a block, divided by that sum of bandwidth times length. By the duality of linear programming, some
// lengths prove the true optimum. A cut is a special case: the channels across the cut have length 1, and all
// other channels have length 0.
struct AllToAllBound {
  double ns = 0;
  // The accelerators inside the cut that proves the bound, then the accelerators outside; empty if `lengths`
  // prove a higher bound than all cuts tried.
  std::vector<std::vector<topology::NodeId>> groups;
  std::vector<double> lengths;  // [channel]; the maximum is 1. Empty if `groups` prove the bound.
};

// Computes several bounds and returns the highest. They are proven by cuts around every single accelerator
// and around every range of coordinates of a dimension; on up to 1,024 accelerators, by equal lengths for all
// channels and for all channels of one kind; by optimal lengths, found by a linear program, if the number of
// accelerators times the number of channels does not exceed kMostSolved; and by nearly optimal lengths
// (concurrent_flow.h) on larger networks, up to 256 accelerators with about 8 links each. Latency is not
// included.
AllToAllBound least_all_to_all(const topology::Topology& topology, Bytes block);

inline constexpr std::size_t kMostSolved = 1536;

// The bound, in nanoseconds, that `lengths` (one per channel) prove for blocks of `block` bytes.
double all_to_all_ns(const topology::Topology& topology, Bytes block, std::span<const double> lengths);

}  // namespace coppice::routing
