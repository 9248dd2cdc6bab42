#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/packed_trees/spanning_forests.h"
#include "schedule/packed_trees/symmetric_links.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Spanning trees that each carry an equal share of the data, D bytes. No link belongs to more trees than
// `copies` allows, so every link finishes within ns_per_byte x D.
struct LinkPacking {
  std::vector<RootedTree> trees;
  std::vector<int> copies;  // [link]: the number of trees that may use it
  double ns_per_byte = 0;   // congestion: how long the busiest link takes per byte of a tree's share
};

// Finds the exact minimum congestion of `count` spanning trees. A link has one copy for each tree that may
// use it. Copies are considered in ascending order of congestion, and every copy that enlarges the forests is
// added to them. This greedy choice is optimal because unions of disjoint forests form a matroid. Returns no
// copies if the links do not connect the accelerators.
LinkPacking least_congestion(const topology::Topology& topology, std::span<const SymmetricLink> links,
                             int count);

// A lower bound on the congestion that least_congestion() finds. It is cheap because it only counts the links
// that `count` spanning trees need.
double congestion_bound_ns(const topology::Topology& topology, std::span<const SymmetricLink> links,
                           int count);

// Fills `packing.trees` with `count` trees that use at most `packing.copies` of each link. The trees take
// turns growing breadth first from central accelerators and are completed by exchanging links. Then `effort`
// random exchanges of links make the trees shallower. `hop_ns` [link] is the delay that a hop over the link
// adds to a tree.
void shape_trees(const topology::Topology& topology, std::span<const SymmetricLink> links,
                 std::span<const double> hop_ns, std::int64_t effort, std::uint64_t seed, int count,
                 LinkPacking& packing);

// The most central accelerators: those whose distance to the farthest accelerator is smallest.
struct Middle {
  std::vector<topology::NodeId> nodes;
  double radius_ns = 0;  // distance to the farthest accelerator
};
Middle central_nodes(int accelerators, std::span<const SymmetricLink> links, std::span<const double> hop_ns);

}  // namespace coppice::schedule
