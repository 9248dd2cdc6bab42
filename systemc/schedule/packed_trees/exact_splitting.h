#pragma once

#include <cstdint>
#include <optional>

#include "schedule/packed_trees/circuits.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Splits switches off without losing capacity: an all-reduce over the circuits alone needs no more time than
// over the network. Pairs of links through a switch become one, in an order by `seed`, for as much as leaves
// the weakest partition of accelerators as strong as it was (Lovasz and Mader's splitting off, with the
// strength of a network for its connectivity); what no pair can have is of no use. Nothing where channels
// have none back of the same bandwidth, where that takes more than `most_cuts` partitions, or if no order
// that is tried splits all.
std::optional<Circuits> split_off_exactly(const topology::Topology& topology, Femtoseconds router,
                                          std::uint64_t seed, std::int64_t most_cuts);

}  // namespace coppice::schedule
