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
// buffer has all blocks, (i, j) at (i n + j) times the length of a block. By
// collectives.all_to_all.algorithm: one of schedule/all_to_all/all_to_all.h; auto, the one that should be
// fastest; file, an algorithm of MSCCL, where the collective is alone. It is proven: every block comes where
// it belongs. Throws ConfigError.
CheckedSchedule compile_all_to_all(const config::Loaded& loaded, const topology::Topology& topology,
                                   const topology::RoutingFunction& routing, Bytes bytes);

// The bytes of each of its blocks: whole elements.
Bytes all_to_all_block(Bytes bytes, int accelerators);

// Marks every block with its source: the result is right if every accelerator ends with the blocks marked for
// it.
std::unique_ptr<Verification> make_all_to_all_verification(const schedule::Schedule& schedule);

}  // namespace coppice::system
