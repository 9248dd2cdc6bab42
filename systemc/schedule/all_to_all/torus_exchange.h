#pragma once

#include <vector>

#include "schedule/compile/send.h"
#include "topology/topology.h"

namespace coppice::schedule {

// An all-to-all whose blocks travel in parts: the flow of part p of the block from i to j among n
// accelerators is (i n + j) parts + p.
struct BlockExchange {
  int parts = 1;
  std::vector<Send> sends{};
  bool even = true;  // all messages of a step are sent at the same time
};

// Whether torus_exchange() supports this network: a torus whose channels all have one bandwidth.
bool is_even_torus(const topology::Topology& topology);

// A bandwidth-optimal all-to-all on such a torus. Every accelerator follows one plan, relative to its own
// position: a block for the accelerator at distance r makes r's hops along each dimension, and of the blocks
// that are equally far in both directions, half go each way. Hops of one block may come in any order, so
// blocks and directions are an open shop of unit tasks: colouring its edges (base/edge_coloring.h) gives as
// many steps as the busiest direction has hops, and in each step no block moves twice and no channel carries
// two blocks. This meets the bound, since no path is shorter. Blocks travel in parts, at most `most_parts`,
// where the blocks for the middle of a ring cannot be split otherwise or the network is small for its longest
// paths.
BlockExchange torus_exchange(const topology::Topology& topology, Bytes most_parts);

}  // namespace coppice::schedule
