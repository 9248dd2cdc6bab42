#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "schedule/pipelined_trees/placed_tree.h"

namespace coppice::schedule {

// Trees that share no channel in either direction: every edge has a link, or two, of its own; parallel links
// count one by one. So sums may go up and final values down all trees at once.
struct EmbeddingRequest {
  int trees = 2;
  int depth = 3;    // edges from a root at most
  int fan_in = 2;   // children of an accelerator at most
  int detours = 0;  // of all trees together at most
};

// Calls `visit` with every embedding, each once, until it returns false. Gives up after `effort` steps of the
// search (they take some ten nanoseconds each). Returns whether it saw all or was told to stop. Throws
// UnsupportedError where accelerators have switches between them or a channel has none back.
bool for_each_embedding(const topology::Topology& topology, const EmbeddingRequest& request,
                        std::int64_t effort,
                        const std::function<bool(const std::vector<PlacedTree>&)>& visit);

// The `trees` of the fewest detours that it finds, and of those the least depth: binary trees if there are
// any, else with as many children as there are links. As detours are needed only to keep trees flat (the
// links of a tree with detours hold one without), depths are tried from the least possible up, without
// detours, and the answer has none. The search is not exhaustive: where hardly more links are there than are
// needed (two trees on an 8x8 torus) it finds none, and disjoint_trees() gives deeper ones. Throws
// UnsupportedError only where there are none.
std::vector<PlacedTree> embed_trees(const topology::Topology& topology, int trees);

// A tree by its parents, per accelerator; kNoNode at the root.
using LogicalTree = std::vector<NodeId>;

// Calls `visit` with every way to place these very trees with the fewest detours. Returns how many detours
// that is; throws UnsupportedError if there is no way.
int for_each_placement(const topology::Topology& topology, std::span<const LogicalTree> trees,
                       const std::function<bool(const std::vector<PlacedTree>&)>& visit);
std::vector<PlacedTree> place_trees(const topology::Topology& topology, std::span<const LogicalTree> trees);

// The two trees of C-Cube (Fig. 10) for the eight accelerators of a DGX-1: rooted at 0 and 1, each
// accelerator a leaf of one. Two of their edges join accelerators without a link.
std::vector<LogicalTree> ccube_trees();

}  // namespace coppice::schedule
