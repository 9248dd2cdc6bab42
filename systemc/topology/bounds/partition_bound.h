#pragma once

#include <cstdint>
#include <vector>

#include "topology/bounds/flow_network.h"
#include "topology/topology.h"

namespace coppice::topology {

// The accelerators in groups, and the bandwidth between these.
struct Partition {
  std::vector<std::vector<NodeId>> groups;  // each in ascending order, sorted by their first accelerators
  // The most that may leave (or enter) the groups at once: the sum over groups of the maximum flow from one
  // group to all other accelerators, through any switches.
  std::int64_t bytes_per_second = 0;

  // The fewest connections that join all groups.
  std::int64_t joints() const { return static_cast<std::int64_t>(groups.size()) - 1; }
};

// The partition into two groups or more with the least bytes_per_second / joints(), in this direction. An
// element's sum takes two messages between groups for every joint, so an all-reduce of M bytes takes at least
// 2 M joints() / bytes_per_second. Half of that ratio is the strength of a network whose links are equal in
// both directions: spanning trees that share no bandwidth carry that much together (Nash-Williams, Tutte).
//
// Exact: Dinkelbach's iteration over Cunningham's greedy algorithm (Optimal attack and reinforcement of a
// network, JACM 1985), each with one minimum cut per accelerator. A switch that adds takes part in sums like
// an accelerator: it stays in one group with the accelerators connected to it. If two groups cannot be
// formed, there are no groups. On networks with more than some 200 million accelerators times channels (4,096
// accelerators of degree 12) only the partition into single accelerators is tried. Throws UnsupportedError
// naming accelerators that cannot reach each other.
Partition weakest_partition(const Topology& topology, Direction direction);

// Like weakest_partition(), but returns no groups if no partition's ratio is below twice the `narrowest` cut,
// in bytes per second, out of any set of accelerators. Fast if that cut gives a stronger bound than any
// partition, or shows that no partition is weaker than the one into single accelerators.
Partition weakest_partition_below(const Topology& topology, Direction direction, std::int64_t narrowest);

}  // namespace coppice::topology
