#pragma once

#include "schedule/all_to_all/torus_exchange.h"
#include "topology/topology.h"

namespace coppice::schedule {

// An all-to-all of blocks of `elements` elements that balances the load of a torus or mesh: each block takes
// a shortest path from neighbour to neighbour. On a torus with equal channels the result is optimal
// (torus_exchange.h). On other grids, a search chooses the order of each block's dimensions, and the
// direction of blocks that travel half-way around a ring, to minimise the load of the busiest channel. A free
// channel sends the waiting block with the longest remaining path. If all channels are equal, time is counted
// in blocks; otherwise each channel has its own transfer time. Throws UnsupportedError for a topology that is
// not a grid.
BlockExchange balanced_exchange(const topology::Topology& topology, Bytes elements);

}  // namespace coppice::schedule
