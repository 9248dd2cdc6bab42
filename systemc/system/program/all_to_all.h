#pragma once

#include <memory>

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "system/collective/verification.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// An all-to-all of `bytes` per accelerator: block (i, j), bytes / n long, goes from i to j. The schedule's
// buffer has all blocks, (i, j) at (i n + j) times the length of a block. By
// collectives.all_to_all.algorithm: direct, n - 1 steps, in step s with the accelerator s further on;
// pairwise, with the one whose number differs in the bits of s, for a power of two; ring, from neighbour to
// neighbour in the order of the network's ring, the shorter way around; file, an algorithm of MSCCL, where
// the collective is alone. Throws ConfigError.
schedule::Schedule compile_all_to_all(const config::Loaded& loaded, const topology::Topology& topology,
                                      const topology::RoutingFunction& routing, Bytes bytes);

// No schedule takes less: for every set of accelerators of a family (each alone, and all from one coordinate
// of one dimension up to another), what has to leave it over what can; and the ways of all blocks over all
// channels.
double least_all_to_all_ns(const topology::Topology& topology, Bytes bytes);

// Marks every block with its source: right if every accelerator has in the end what was marked for it.
std::unique_ptr<Verification> make_all_to_all_verification(const schedule::Schedule& schedule);

}  // namespace coppice::system
