#pragma once

#include <span>
#include <vector>

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::routing {

// The least time of an all-to-all, in which every accelerator has a block for every other, and what proves
// it. A block is on its way for as long as its way is, whatever lengths channels are given, and all channels
// together carry no more in a time than their bandwidths times their lengths: the least time is the sum of
// all pairs' distances times the block over the sum of bandwidth times length (linear programming's duality:
// some lengths prove the true optimum). A cut is the case of length 1 for its channels and 0 for all others.
struct AllToAllBound {
  double ns = 0;
  // The accelerators of a cut, those inside first; empty: `lengths` prove more than all cuts tried.
  std::vector<std::vector<topology::NodeId>> groups;
  std::vector<double> lengths;  // [channel], the longest 1; empty: `groups` prove it
};

// The largest bound of these: every accelerator alone; all from one coordinate of a dimension up to another;
// all channels of one length; up to kMostSolved accelerators times channels the best lengths of all, which a
// linear program finds; and up to kMostApproximated, 64 accelerators of some 8 links and their switches,
// lengths near the best (concurrent_flow.h). Times leave latency out.
AllToAllBound least_all_to_all(const topology::Topology& topology, Bytes block);

inline constexpr std::size_t kMostSolved = 1536;
inline constexpr std::size_t kMostApproximated = 65536;

// The bound that these channel lengths prove.
double all_to_all_ns(const topology::Topology& topology, Bytes block, std::span<const double> lengths);

}  // namespace coppice::routing
