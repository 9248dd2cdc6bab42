#pragma once

#include "schedule/all_to_all/torus_exchange.h"
#include "topology/topology.h"

namespace coppice::schedule {

// An all-to-all of blocks of so many elements on a torus or mesh that shares its bandwidth out: a block goes
// one of its shortest ways from neighbour to neighbour. On a torus of one bandwidth it is the optimum
// (torus_exchange.h). Elsewhere a block goes its dimensions in one rotation or another and half of the way
// around a ring either way, so that the busiest channel has the least to carry that a search finds, and a
// channel that is free takes, of the blocks that wait, the one that has longest to go: in steps of a block
// where channels are alike, else by what they take of it. Throws UnsupportedError for a topology that is no
// grid.
BlockExchange balanced_exchange(const topology::Topology& topology, Bytes elements);

}  // namespace coppice::schedule
