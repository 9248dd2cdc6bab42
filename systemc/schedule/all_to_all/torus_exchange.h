#pragma once

#include <vector>

#include "schedule/compile/send.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The messages of an all-to-all whose blocks travel in parts: part p of the block from i to j among n
// accelerators is flow (i n + j) * parts + p.
struct BlockExchange {
  int parts = 1;
  std::vector<Send> sends{};
  bool even = true;  // all messages of a step are sent at the same time
};

// Whether torus_exchange() supports this network: a torus whose channels all have the same bandwidth.
bool is_even_torus(const topology::Topology& topology);

// A bandwidth-optimal all-to-all on a torus for which is_even_torus() is true. All accelerators follow the
// same plan relative to their own positions: a block takes a shortest path, and if both directions are
// equally long, half of the blocks use each. The hops of a block may be made in any order, so blocks and
// directions form an open shop of unit tasks. Edge colouring (base/edge_coloring.h) schedules them in as many
// steps as the busiest direction has hops, so that in each step no block moves twice and no channel carries
// two blocks. This meets the bound, since all paths are shortest paths. Blocks travel in up to `most_parts`
// parts if the blocks for the opposite side of a ring cannot be divided otherwise, or if the longest path has
// more hops than the busiest direction.
BlockExchange torus_exchange(const topology::Topology& topology, Bytes most_parts);

}  // namespace coppice::schedule
