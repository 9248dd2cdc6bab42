#pragma once

#include <span>
#include <vector>

#include "schedule/pipelined_trees/pipelined_trees.h"

namespace coppice::schedule {

// An edge of a tree placed on links: direct, or a detour through one accelerator that forwards (C-Cube,
// Sec. IV-A).
struct PlacedEdge {
  NodeId child = topology::kNoNode;
  NodeId parent = topology::kNoNode;
  NodeId via = topology::kNoNode;
  bool operator==(const PlacedEdge&) const = default;
};

// A spanning tree of the accelerators; parents come before their children.
struct PlacedTree {
  NodeId root = topology::kNoNode;
  std::vector<PlacedEdge> edges;
  bool operator==(const PlacedTree&) const = default;
};

// The number of edges from the root to the farthest accelerator; a detour counts as one.
int depth_of(const PlacedTree& tree);

// The channels of the placed trees.
std::vector<LinkedTree> link_trees(const topology::Topology& topology, std::span<const PlacedTree> trees);

}  // namespace coppice::schedule
