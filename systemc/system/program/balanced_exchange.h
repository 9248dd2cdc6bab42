#pragma once

#include <vector>

#include "schedule/compile/send.h"
#include "topology/topology.h"

namespace coppice::system {

// An all-to-all on a torus or mesh that shares its bandwidth out: a block goes one of its shortest ways from
// neighbour to neighbour, its dimensions in one rotation or another and half of the way around a ring either
// way, so that the busiest channel has the least to carry that a search finds. A channel takes a block a
// step, of those that wait the one with farthest to go. The flow of the block from i to j is i n + j. Throws
// UnsupportedError for a topology that is no grid.
std::vector<schedule::Send> balanced_exchange(const topology::Topology& topology);

}  // namespace coppice::system
