#pragma once

#include <memory>

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "system/collective/verification.h"
#include "system/machine/build.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// An all-to-all of `bytes` per accelerator: block (i, j), bytes / n long, goes from i to j. The schedule's
// buffer has all blocks, block (i, j) at (i n + j) times the length of a block.
// collectives.all_to_all.algorithm selects one of schedule/all_to_all/all_to_all.h; auto, the one expected to
// be fastest; or file, an algorithm of MSCCL, if the collective is the whole program. The schedule is proven:
// every block arrives at its destination. Throws ConfigError.
CheckedSchedule compile_all_to_all(const config::Loaded& loaded, const topology::Topology& topology,
                                   const topology::RoutingFunction& routing, Bytes bytes);

// The bytes of each of its blocks, as whole elements.
Bytes all_to_all_block(Bytes bytes, int accelerators);

// Marks every block with its source: the result is right if every accelerator ends with the blocks marked for
// it.
std::unique_ptr<Verification> make_all_to_all_verification(const schedule::Schedule& schedule);

}  // namespace coppice::system
