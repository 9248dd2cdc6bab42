#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/packed_trees/spanning_forests.h"
#include "schedule/packed_trees/symmetric_links.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Spanning trees with equal shares of the data, in which each link belongs to as many trees as its bandwidth
// allows. With a share of D bytes for each of the k trees, every link is done within congestion x D.
struct LinkPacking {
  std::vector<RootedTree> trees;
  std::vector<int> copies;  // [link]: the number of trees that may use it
  double ns_per_byte = 0;   // congestion, per byte of a tree's share
};

// The least congestion of `count` spanning trees, exactly: link copies are considered in the order of the
// congestion that each causes, and every copy that fits is taken, which minimizes the bottleneck over a
// matroid's bases. Returns no copies if the links do not connect the accelerators.
LinkPacking least_congestion(const topology::Topology& topology, std::span<const SymmetricLink> links,
                             int count);

// A cheap lower bound on the congestion, from the partition into single accelerators: least_congestion() is
// never less.
double congestion_bound_ns(const topology::Topology& topology, std::span<const SymmetricLink> links,
                           int count);

// Fills LinkPacking::trees with `count` trees within its copies. All trees grow breadth first, in turn, from
// accelerators in the middle and are completed by exchanges of links; then `effort` random exchanges between
// trees make them shallower. `hop_ns` [link]: the cost of a level over the link.
void shape_trees(const topology::Topology& topology, std::span<const SymmetricLink> links,
                 std::span<const double> hop_ns, std::int64_t effort, std::uint64_t seed, int count,
                 LinkPacking& packing);

// The accelerators whose distance to the farthest other accelerator is least.
struct Middle {
  std::vector<topology::NodeId> nodes;
  double radius_ns = 0;  // distance to the farthest accelerator
};
Middle central_nodes(int accelerators, std::span<const SymmetricLink> links, std::span<const double> hop_ns);

}  // namespace coppice::schedule
