#pragma once

#include <cstdint>
#include <vector>

#include "topology/bounds/flow_network.h"
#include "topology/topology.h"

namespace coppice::topology {

// The accelerators in groups, and the bandwidth between these.
struct Partition {
  std::vector<std::vector<NodeId>> groups;  // each ascending, by their first accelerators
  // Most that may leave (or enter) the groups at once: the sum over groups of the maximum flow from one to
  // all other accelerators, through any switches.
  std::int64_t bytes_per_second = 0;

  // Groups that data have to be joined across.
  std::int64_t joints() const { return static_cast<std::int64_t>(groups.size()) - 1; }
};

// The partition into two groups or more with the least bytes_per_second / joints(), in this direction. An
// element's sum takes two messages between groups for every joint, so that an all-reduce of M bytes takes 2 M
// joints() / bytes_per_second at least. Half of that ratio is the strength of a network whose links carry the
// same both ways: spanning trees that share no bandwidth carry that much together (Nash-Williams, Tutte).
//
// Exact: Dinkelbach's iteration over Cunningham's greedy algorithm (Optimal attack and reinforcement of a
// network, JACM 1985), each a minimum cut per accelerator. A switch that adds takes part in sums as
// accelerators do: it stays in a group with those that it has channels to. Without two groups to form there
// are no groups at all. On networks of more than some 200 million accelerators times channels (4,096 of
// degree 12) only single accelerators are tried. Throws UnsupportedError naming accelerators that cannot
// reach each other.
Partition weakest_partition(const Topology& topology, Direction direction);

// The same, but no groups if no partition's ratio is below twice the `narrowest` cut, in bytes per second,
// out of any set of accelerators: quick where that cut says more than any partition, or where it shows that
// no partition is weaker than the one of single accelerators.
Partition weakest_partition_below(const Topology& topology, Direction direction, std::int64_t narrowest);

}  // namespace coppice::topology
