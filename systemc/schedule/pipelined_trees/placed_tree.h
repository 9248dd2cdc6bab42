#pragma once

#include <span>
#include <vector>

#include "schedule/pipelined_trees/pipelined_trees.h"

namespace coppice::schedule {

// An edge of a tree placed on links: directly, or as a detour through one forwarding accelerator (C-Cube,
// Sec. IV-A).
struct PlacedEdge {
  NodeId child = topology::kNoNode;
  NodeId parent = topology::kNoNode;
  NodeId via = topology::kNoNode;
  bool operator==(const PlacedEdge&) const = default;
};

// A spanning tree of the accelerators; edges of parents precede those of their children.
struct PlacedTree {
  NodeId root = topology::kNoNode;
  std::vector<PlacedEdge> edges;
  bool operator==(const PlacedTree&) const = default;
};

// The number of edges from the root to the farthest accelerator; a detour counts as one.
int depth_of(const PlacedTree& tree);

// Replaces the edges of placed trees with channels.
std::vector<LinkedTree> link_trees(const topology::Topology& topology, std::span<const PlacedTree> trees);

}  // namespace coppice::schedule
