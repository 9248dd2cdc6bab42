#pragma once

#include <cstdint>
#include <vector>

#include "topology/bounds/flow_network.h"
#include "topology/topology.h"

namespace coppice::topology {

// A partition of the accelerators into groups, and the bandwidth between the groups.
struct Partition {
  std::vector<std::vector<NodeId>> groups;  // each in ascending order, sorted by their first accelerators
  // The maximum total bandwidth out of (or into) the groups: the sum over groups of the maximum flow from a
  // group to all other accelerators, through any switches.
  std::int64_t bytes_per_second = 0;

  // The minimum number of connections that join all groups.
  std::int64_t joints() const { return static_cast<std::int64_t>(groups.size()) - 1; }
};

// The partition into at least two groups with the least bytes_per_second / joints(), in the given direction.
// The sum of an element takes two messages between groups per joint, so an all-reduce of M bytes takes at
// least 2 M joints() / bytes_per_second. For a network whose links are equal in both directions, half of
// bytes_per_second / joints() is its strength: the total bandwidth of edge-disjoint spanning trees
// (Nash-Williams, Tutte). The result is exact: Dinkelbach's iteration over Cunningham's greedy algorithm
// (Optimal attack and reinforcement of a network, JACM 1985), each step with one minimum cut per accelerator.
// A reducing switch takes part in sums like an accelerator, and stays in one group with the accelerators
// connected to it. If two groups cannot be formed, the result has no groups. If the number of accelerators
// times channels exceeds about 200 million (4,096 accelerators of degree 12), only the partition into single
// accelerators is tried. Throws an UnsupportedError that names accelerators that cannot reach each other.
Partition weakest_partition(const Topology& topology, Direction direction);

// Like weakest_partition(), but returns no groups unless a partition's ratio is below twice the bandwidth
// `narrowest`, in bytes per second, of the narrowest cut out of any set of accelerators. This is fast if the
// cut gives a stronger bound than any partition, or shows that no partition is weaker than that into single
// accelerators.
Partition weakest_partition_below(const Topology& topology, Direction direction, std::int64_t narrowest);

}  // namespace coppice::topology
