#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/bounds/flow_network.h"
#include "topology/topology.h"

namespace coppice::topology {

enum class Collective { kReduceScatter, kAllGather, kAllReduce };

// A lower bound on the time of a collective, with its proof: `bytes` must leave (or enter) `groups`, and at
// most `bytes_per_second` can cross the boundaries of these groups.
struct LeastTime {
  Bytes bytes = 0;                    // total bytes across the boundaries of all groups
  std::int64_t bytes_per_second = 0;  // capacity of all boundaries; 0 if nothing has to move
  Direction direction = Direction::kOut;
  // Groups that together contain all accelerators. The accelerators of each group are in ascending order. If
  // there are two groups, data passes from the first group to the second one, and for an all-reduce possibly
  // also in the other direction.
  std::vector<std::vector<NodeId>> groups;

  double ns() const;
};

// The bound for an all-reduce of `bytes`, which is the larger of two bounds. First, every set of accelerators
// must send its sum once and receive the sum of all other accelerators. Second, with k groups, the sum of
// each element takes 2 (k - 1) messages between groups, as in gossiping. This holds if only accelerators and
// reducing switches add; the groups then include the reducing switches.
LeastTime least_all_reduce_time(const Topology& topology, Bytes bytes);

// The bound for a reduce-scatter or all-gather in which each accelerator receives or contributes its share,
// or for a reduce or broadcast, in which the root has all shares. The bound follows from the data that must
// enter or leave the worst cut.
LeastTime least_share_time(const Topology& topology, Collective collective, std::span<const Bytes> shares);

// Formats the groups, for example as "each accelerator by itself" or "0-3, 8 | 4-7".
std::string describe_groups(const LeastTime& least);

}  // namespace coppice::topology
