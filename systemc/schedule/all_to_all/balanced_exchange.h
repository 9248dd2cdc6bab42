#pragma once

#include "schedule/all_to_all/torus_exchange.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Plans an all-to-all of blocks of `elements` elements that balances the load of a torus or mesh. Each block
// takes a shortest path from neighbour to neighbour. On a torus with equal channels, the result is optimal
// (torus_exchange.h). On other grids, a search minimises the load of the busiest channel. It chooses the
// order in which each block traverses the dimensions, and the direction of each block that travels half-way
// around a ring. A free channel sends the waiting block with the longest remaining path. If all channels are
// equal, time is counted in blocks; otherwise, each channel has its own transfer time. Throws
// UnsupportedError if the topology is not a grid.
BlockExchange balanced_exchange(const topology::Topology& topology, Bytes elements);

}  // namespace coppice::schedule
