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
  bool even = true;  // all messages of a step are sent at a time
};

// Whether torus_exchange is for this network: a torus all of whose channels have one bandwidth.
bool is_even_torus(const topology::Topology& topology);

// A bandwidth-optimal all-to-all on such a torus. Every accelerator does the same, turned to where it is: a
// block for the accelerator that is r further makes as many hops either way along each dimension as r says,
// half of those that are as far both ways one way, half the other. Hops of one block may come in any order,
// so blocks and directions are an open shop of unit tasks: colouring its edges (base/edge_coloring.h) gives
// as many steps as the busiest direction has hops, in each of which no block moves twice and no channel
// carries two. That is what the bound allows, since no way is shorter. Blocks travel in parts, `most_parts`
// at most, where the middle of a ring cannot be shared out otherwise or the network is small for its longest
// ways.
BlockExchange torus_exchange(const topology::Topology& topology, Bytes most_parts);

}  // namespace coppice::schedule
