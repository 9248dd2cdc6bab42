#pragma once

#include <vector>

#include "schedule/compile/send.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The messages of an all-to-all. Each block is divided into `parts` parts that move independently: among n
// accelerators, part p of the block from i to j is flow (i n + j) * parts + p.
struct BlockExchange {
  int parts = 1;
  std::vector<Send> sends{};
  bool even = true;  // whether all messages of a step are sent at the same time
};

// Whether torus_exchange() supports this network, which must be a torus whose channels all have the same
// bandwidth.
bool is_even_torus(const topology::Topology& topology);

// Plans a bandwidth-optimal all-to-all on a torus for which is_even_torus() is true. All accelerators follow
// the same plan relative to their own positions. Each block takes a shortest path; if both directions around
// a ring are equally long, half of the blocks use each direction. The hops of a block may be made in any
// order, so blocks and directions form an open shop of unit tasks. Edge colouring (base/edge_coloring.h)
// schedules these tasks in as many steps as the busiest direction has hops, such that no block moves twice in
// a step and no channel carries two blocks. This number of steps meets the bound, because all paths are
// shortest paths. Blocks are divided into up to `most_parts` parts if the blocks for the opposite side of a
// ring cannot be divided otherwise, or if the longest path has more hops than the busiest direction.
BlockExchange torus_exchange(const topology::Topology& topology, Bytes most_parts);

}  // namespace coppice::schedule
