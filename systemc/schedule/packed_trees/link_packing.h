#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/packed_trees/spanning_forests.h"
#include "schedule/packed_trees/symmetric_links.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Spanning trees with equal shares of the data; each link belongs to at most as many trees as its bandwidth
// allows. If each tree's share is D bytes, every link finishes within ns_per_byte x D.
struct LinkPacking {
  std::vector<RootedTree> trees;
  std::vector<int> copies;  // [link]: the number of trees that may use it
  double ns_per_byte = 0;   // congestion: time of the busiest link per byte of a tree's share
};

// The exact minimum congestion of `count` spanning trees. A link has one copy for each tree that may use it.
// Copies are considered in ascending order of the congestion that they cause, and every copy that fits into
// the trees is taken. This minimizes the bottleneck over the bases of a matroid. Returns no copies if the
// links do not connect the accelerators.
LinkPacking least_congestion(const topology::Topology& topology, std::span<const SymmetricLink> links,
                             int count);

// A cheap lower bound on the result of least_congestion(), from the partition into single accelerators.
double congestion_bound_ns(const topology::Topology& topology, std::span<const SymmetricLink> links,
                           int count);

// Fills `packing.trees` with `count` trees that use at most `packing.copies` of each link. The trees grow
// breadth first, in turn, from central accelerators and are completed by exchanging links; then `effort`
// random exchanges between trees make them shallower. `hop_ns` [link]: the cost of a tree level over the
// link.
void shape_trees(const topology::Topology& topology, std::span<const SymmetricLink> links,
                 std::span<const double> hop_ns, std::int64_t effort, std::uint64_t seed, int count,
                 LinkPacking& packing);

// The most central accelerators, which have the least distance to the accelerator farthest from them.
struct Middle {
  std::vector<topology::NodeId> nodes;
  double radius_ns = 0;  // distance to the farthest accelerator
};
Middle central_nodes(int accelerators, std::span<const SymmetricLink> links, std::span<const double> hop_ns);

}  // namespace coppice::schedule
