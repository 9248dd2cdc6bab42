#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "schedule/pipelined_trees/placed_tree.h"

namespace coppice::schedule {

// A request for trees that share no channel in either direction: every edge has its own link (a detour has
// two), and parallel links count separately. Sums can therefore move up and final values down all trees at
// the same time.
struct EmbeddingRequest {
  int trees = 2;
  int depth = 3;    // maximum number of edges from a root to an accelerator
  int fan_in = 2;   // maximum number of children of an accelerator
  int detours = 0;  // maximum number of detours of all trees together
};

// Calls `visit` once with each embedding until `visit` returns false. Gives up after `effort` search steps
// (about ten nanoseconds each). Returns whether all embeddings were visited or `visit` stopped the search.
// Throws UnsupportedError if there are switches between accelerators or a channel has no reverse.
bool for_each_embedding(const topology::Topology& topology, const EmbeddingRequest& request,
                        std::int64_t effort,
                        const std::function<bool(const std::vector<PlacedTree>&)>& visit);

// Finds `trees` trees with the fewest detours and, among those, the least depth: binary trees if possible,
// otherwise trees with as many children as there are links. Detours could only make trees flatter (the links
// of a tree with detours contain a tree without detours), so none are used, and depths are tried in ascending
// order. The search is not exhaustive: if there are hardly more links than needed (two trees on an 8x8
// torus), it finds nothing, and disjoint_trees() supplies deeper trees. Throws UnsupportedError only if no
// such trees exist.
std::vector<PlacedTree> embed_trees(const topology::Topology& topology, int trees);

// A tree: the parent of each accelerator; kNoNode for the root.
using LogicalTree = std::vector<NodeId>;

// Calls `visit` with every placement of exactly these trees that has the fewest detours. Returns the number
// of detours. Throws UnsupportedError if there is no placement.
int for_each_placement(const topology::Topology& topology, std::span<const LogicalTree> trees,
                       const std::function<bool(const std::vector<PlacedTree>&)>& visit);
std::vector<PlacedTree> map_trees(const topology::Topology& topology, std::span<const LogicalTree> trees);

// The two trees of C-Cube (Fig. 10) for the eight accelerators of a DGX-1: rooted at 0 and 1; each
// accelerator is a leaf of one tree. Two of their edges join accelerators that have no link.
std::vector<LogicalTree> ccube_trees();

}  // namespace coppice::schedule
