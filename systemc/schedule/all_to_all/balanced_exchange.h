#pragma once

#include "schedule/all_to_all/torus_exchange.h"
#include "topology/topology.h"

namespace coppice::schedule {

// An all-to-all of blocks of `elements` elements that balances the load of a torus or mesh: each block takes
// one of its shortest paths from neighbour to neighbour. On a torus with equal channels this is the optimum
// (torus_exchange.h). On other grids a search chooses the order of each block's dimensions, and the direction
// of blocks that travel half of the way around a ring, so that the busiest channel has the least load that
// the search finds. A free channel serves the waiting block with the longest distance to go: in steps of one
// block where channels are equal, otherwise by the time a block takes on the channel. Throws UnsupportedError
// for a topology that is not a grid.
BlockExchange balanced_exchange(const topology::Topology& topology, Bytes elements);

}  // namespace coppice::schedule
