#pragma once

#include "system/program/torus_exchange.h"
#include "topology/topology.h"

namespace coppice::system {

// An all-to-all on a torus or mesh that shares its bandwidth out: a block goes one of its shortest ways from
// neighbour to neighbour. On a torus of one bandwidth it is the optimum (torus_exchange.h). Elsewhere a block
// goes its dimensions in one rotation or another and half of the way around a ring either way, so that the
// busiest channel has the least to carry that a search finds, and a channel takes a block a step, of those
// that wait the one with farthest to go. Throws UnsupportedError for a topology that is no grid.
BalancedExchange balanced_exchange(const topology::Topology& topology, Bytes most_parts);

}  // namespace coppice::system
