#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "schedule/pipelined_trees/placed_tree.h"

namespace coppice::schedule {

// A request for trees that share no channel in either direction. Every edge has its own link (a detour has
// two), and parallel links count separately. Sums can therefore move up, and final values down, on all trees
// at the same time.
struct EmbeddingRequest {
  int trees = 2;
  int depth = 3;    // maximum number of edges from a root to an accelerator
  int fan_in = 2;   // maximum number of children of an accelerator
  int detours = 0;  // maximum total number of detours of all trees
};

// Calls `visit` once with each embedding until `visit` returns false. Gives up after `effort` search steps,
// each of which takes about ten nanoseconds. Returns false if it gave up, and true if all embeddings were
// visited or `visit` stopped the search. Throws UnsupportedError if there are switches between accelerators
// or if a channel has no reverse channel.
bool for_each_embedding(const topology::Topology& topology, const EmbeddingRequest& request,
                        std::int64_t effort,
                        const std::function<bool(const std::vector<PlacedTree>&)>& visit);

// Finds `trees` trees without detours and with a small depth: binary trees if possible, otherwise trees in
// which an accelerator has as many children as it has links. Detours could only make trees flatter, because
// the links of a tree with detours contain a tree without detours. Depths are tried in ascending order. The
// search is not exhaustive. If there are hardly more links than needed (for example, two trees on an 8x8
// torus), it finds nothing, and disjoint_trees() supplies deeper trees. Throws UnsupportedError only if no
// such trees exist.
std::vector<PlacedTree> embed_trees(const topology::Topology& topology, int trees);

// A tree, stored as the parent of each accelerator. The parent of the root is kNoNode.
using LogicalTree = std::vector<NodeId>;

// Calls `visit` with every placement of the given trees that has the fewest detours. Returns the number of
// detours. Throws UnsupportedError if the trees cannot be placed.
int for_each_placement(const topology::Topology& topology, std::span<const LogicalTree> trees,
                       const std::function<bool(const std::vector<PlacedTree>&)>& visit);
std::vector<PlacedTree> map_trees(const topology::Topology& topology, std::span<const LogicalTree> trees);

// Returns the two trees of C-Cube (Fig. 10) for the eight accelerators of a DGX-1. They are rooted at
// accelerators 0 and 1, and each accelerator is a leaf of one tree. Two edges of the trees connect
// accelerators that have no link between them.
std::vector<LogicalTree> ccube_trees();

}  // namespace coppice::schedule
