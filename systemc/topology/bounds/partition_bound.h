#pragma once

#include <cstdint>
#include <vector>

#include "topology/bounds/flow_network.h"
#include "topology/topology.h"

namespace coppice::topology {

// A partition of the accelerators into groups, and the bandwidth between the groups.
struct Partition {
  // Groups sorted by their first accelerators, each in ascending order.
  std::vector<std::vector<NodeId>> groups;
  // The maximum total bandwidth out of (or into) the groups. This is the sum, over all groups, of the maximum
  // flow from a group to all other accelerators, possibly through switches.
  std::int64_t bytes_per_second = 0;

  // The minimum number of connections that are needed to join all groups.
  std::int64_t joints() const { return static_cast<std::int64_t>(groups.size()) - 1; }
};

// Among the partitions into at least two groups, finds the one with the smallest ratio bytes_per_second /
// joints() in the given direction. The sum of an element takes two messages between groups per joint, so an
// all-reduce of M bytes takes at least 2 M joints() / bytes_per_second. If the links of a network are equally
// fast in both directions, half of this ratio is the strength of the network: the total bandwidth of
// edge-disjoint spanning trees (Nash-Williams, Tutte).
//
// The result is exact. It is found by Dinkelbach's iteration over Cunningham's greedy algorithm (Optimal
// attack and reinforcement of a network, JACM 1985), where each step needs one minimum cut per accelerator. A
// reducing switch takes part in sums like an accelerator and stays in one group with the accelerators that
// are connected to it. If two groups cannot be formed, the result has no groups. If the number of
// accelerators times channels exceeds about 200 million (4,096 accelerators of degree 12), only the partition
// into single accelerators is examined. Throws UnsupportedError if an accelerator cannot reach another; the
// error names both.
Partition weakest_partition(const Topology& topology, Direction direction);

// Like weakest_partition(), but returns no groups unless the ratio of the partition is below twice
// `narrowest`, which is the bandwidth, in bytes per second, of the narrowest cut out of any set of
// accelerators. The search is fast if the cut gives a stronger bound than any partition, or shows that no
// partition is weaker than the partition into single accelerators.
Partition weakest_partition_below(const Topology& topology, Direction direction, std::int64_t narrowest);

}  // namespace coppice::topology
