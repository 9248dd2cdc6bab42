#pragma once

#include <span>
#include <vector>

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::routing {

// The least time of an all-to-all, in which every accelerator has a block for every other, and its proof. If
// channels are given arbitrary lengths, a block travels at least the distance of its pair, and all channels
// together carry at most their bandwidths times their lengths per unit of time. The least time is therefore
// the sum of all pairs' distances times the block, divided by the sum of bandwidth times length (by the
// duality of linear programming, some lengths prove the true optimum). A cut is the special case of length 1
// for its channels and 0 for all others.
struct AllToAllBound {
  double ns = 0;
  // The accelerators inside a cut, then those outside; empty: `lengths` give a better bound than all cuts
  // tried.
  std::vector<std::vector<topology::NodeId>> groups;
  std::vector<double> lengths;  // [channel], the longest is 1; empty: `groups` prove the bound
};

// The largest of these bounds: cuts around every single accelerator and around every range of coordinates of
// a dimension; equal lengths for all channels; optimal lengths, found by a linear program, if accelerators
// times channels do not exceed kMostSolved; and nearly optimal lengths (concurrent_flow.h) if they do not
// exceed kMostApproximated (64 accelerators with about 8 links each, and their switches). Latency is not
// included.
AllToAllBound least_all_to_all(const topology::Topology& topology, Bytes block);

inline constexpr std::size_t kMostSolved = 1536;
inline constexpr std::size_t kMostApproximated = 65536;

// The bound proven by these channel lengths.
double all_to_all_ns(const topology::Topology& topology, Bytes block, std::span<const double> lengths);

}  // namespace coppice::routing
