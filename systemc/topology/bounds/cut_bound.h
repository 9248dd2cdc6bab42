#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/bounds/flow_network.h"
#include "topology/topology.h"

namespace coppice::topology {

// A set of nodes, the data that must leave (or enter) the set, and the bandwidth that is available for this
// data.
struct CutBound {
  std::int64_t data = 0;              // data that must cross the boundary, in the unit of the shares
  std::int64_t bytes_per_second = 0;  // capacity of the channels that leave (or enter) the set
  std::vector<NodeId> cut;            // nodes of the set, in ascending order
};

inline constexpr int kMaxCutAccelerators = 8192;

// Finds the worst cut if accelerators contribute shares that all other accelerators must receive (kOut), or
// must receive shares to which all other accelerators contribute (kIn). Among the sets with at least one but
// not all accelerators, this is the set with the largest ratio of its shares to the bandwidth out of (or
// into) it. `shares` has an entry per accelerator, in any unit; if it is empty, all shares are 1. In a
// broadcast or reduce, the root has all shares. The result is exact for up to kMaxCutAccelerators
// accelerators (Dinkelbach's iteration over minimum cuts); in larger networks, only a set that lacks a single
// accelerator is examined. It is empty if there is only one accelerator. Throws UnsupportedError if an
// accelerator cannot reach another; the error names both.
CutBound worst_cut(const Topology& topology, Direction direction = Direction::kOut,
                   std::span<const std::int64_t> shares = {});

// Like worst_cut(), but finds the set with the least bandwidth out of it; in larger networks, only sets that
// contain or lack a single accelerator are examined. The `data` of the result is 1.
CutBound narrowest_cut(const Topology& topology);

}  // namespace coppice::topology
