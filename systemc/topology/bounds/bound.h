#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/bounds/flow_network.h"
#include "topology/topology.h"

namespace coppice::topology {

enum class Collective { kReduceScatter, kAllGather, kAllReduce };

// A lower bound on the time of a collective, with its proof: `bytes` must leave (or enter) groups of
// accelerators whose boundaries pass at most `bytes_per_second`.
struct LeastTime {
  Bytes bytes = 0;                    // that cross the boundaries of all groups together
  std::int64_t bytes_per_second = 0;  // capacity of the boundaries; 0 if nothing has to move
  Direction direction = Direction::kOut;
  // All accelerators, each group in ascending order. With two groups, data passes from the first to the
  // second, in the sum of an all-reduce possibly both ways.
  std::vector<std::vector<NodeId>> groups;

  double ns() const;
};

// The bound for an all-reduce of `bytes`. Every set of accelerators must send its sum, and receive that of
// the others, once. Among k groups, one element's sum takes 2 (k - 1) messages between groups if only
// accelerators (and reducing switches, which are then in the groups) add, as in a gossip. Returns the larger
// of the two bounds.
LeastTime least_all_reduce_time(const Topology& topology, Bytes bytes);

// The bound for a reduce-scatter or all-gather in which each accelerator receives or contributes its share,
// or for a reduce or broadcast in which the root has everything: the data that leaves or enters the worst
// cut.
LeastTime least_share_time(const Topology& topology, Collective collective, std::span<const Bytes> shares);

// "each accelerator by itself", or the accelerators of the groups: "0-3, 8 | 4-7".
std::string describe_groups(const LeastTime& least);

}  // namespace coppice::topology
