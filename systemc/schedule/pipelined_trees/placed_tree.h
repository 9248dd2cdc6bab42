#pragma once

#include <span>
#include <vector>

#include "schedule/pipelined_trees/pipelined_trees.h"

namespace coppice::schedule {

// An edge of a tree that is placed on links, either directly or as a detour through one forwarding
// accelerator (C-Cube, Sec. IV-A).
struct PlacedEdge {
  NodeId child = topology::kNoNode;
  NodeId parent = topology::kNoNode;
  NodeId via = topology::kNoNode;
  bool operator==(const PlacedEdge&) const = default;
};

// A spanning tree of the accelerators. The edges of a parent precede those of its children.
struct PlacedTree {
  NodeId root = topology::kNoNode;
  std::vector<PlacedEdge> edges;
  bool operator==(const PlacedTree&) const = default;
};

// Returns the number of edges from the root to the farthest accelerator. A detour counts as one edge.
int depth_of(const PlacedTree& tree);

// Converts the edges of placed trees to channels.
std::vector<LinkedTree> link_trees(const topology::Topology& topology, std::span<const PlacedTree> trees);

}  // namespace coppice::schedule
