#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/packed_trees/spanning_forests.h"
#include "schedule/packed_trees/symmetric_links.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Spanning trees with equal shares of the data, with each link in as many as its bandwidth can carry. With k
// trees of a share of D bytes each, every link is done within congestion x D.
struct LinkPacking {
  std::vector<RootedTree> trees;
  std::vector<int> copies;  // [link]: trees that may hold it
  double ns_per_byte = 0;   // congestion, of a tree's share
};

// The least congestion of `count` spanning trees, exactly: link copies are considered in the order of the
// congestion that each needs, and every one that fits is taken, which gives the best bottleneck of a
// matroid's bases. No copies if the links do not connect the accelerators.
LinkPacking least_congestion(const topology::Topology& topology, std::span<const SymmetricLink> links,
                             int count);

// A cheap lower bound on that, from the partition into single accelerators: least_congestion() is never less.
double congestion_bound_ns(const topology::Topology& topology, std::span<const SymmetricLink> links,
                           int count);

// Fills LinkPacking::trees with `count` within its copies: all trees grow from accelerators in the middle,
// breadth first, in turn, and are completed by exchanges of links; then `effort` random exchanges between
// trees make them shallower. `hop_ns` [link]: what a level over it costs.
void shape_trees(const topology::Topology& topology, std::span<const SymmetricLink> links,
                 std::span<const double> hop_ns, std::int64_t effort, std::uint64_t seed, int count,
                 LinkPacking& packing);

// Accelerators from which the farthest other one is nearest.
struct Middle {
  std::vector<topology::NodeId> nodes;
  double radius_ns = 0;  // to the farthest
};
Middle central_nodes(int accelerators, std::span<const SymmetricLink> links, std::span<const double> hop_ns);

}  // namespace coppice::schedule
