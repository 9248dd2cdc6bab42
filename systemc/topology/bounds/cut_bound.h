#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/bounds/flow_network.h"
#include "topology/topology.h"

namespace coppice::topology {

// A set of nodes, and the limit on data that must leave (or enter) it.
struct CutBound {
  std::int64_t data = 0;              // that must cross the boundary, in the unit of the shares
  std::int64_t bytes_per_second = 0;  // capacity of the channels out of (or into) the set
  std::vector<NodeId> cut;            // nodes of the set, in ascending order
};

inline constexpr int kMaxCutAccelerators = 8192;

// The worst cut if accelerators contribute shares that all others must receive (kOut), or must receive shares
// to which all others contribute (kIn): the set with the largest ratio of shares to bandwidth out of it (or
// into it), among the sets that contain at least one accelerator but not all. `shares` has an entry per
// accelerator in any unit; empty: 1 each. An accelerator with all shares is the root of a broadcast or
// reduce. Exact: Dinkelbach's iteration over minimum cuts. With one accelerator the result is empty. Throws
// UnsupportedError naming the nodes if some accelerator cannot reach another.
CutBound worst_cut(const Topology& topology, Direction direction = Direction::kOut,
                   std::span<const std::int64_t> shares = {});

// The set with the least bandwidth out of it that contains at least one accelerator but not all; its `data`
// is 1. Otherwise like worst_cut().
CutBound narrowest_cut(const Topology& topology);

}  // namespace coppice::topology
