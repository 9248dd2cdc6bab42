#pragma once

#include <memory>

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "system/collective/verification.h"
#include "system/machine/build.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// Compiles an all-to-all of `bytes` per accelerator: block (i, j) of bytes / n bytes moves from i to j. The
// schedule's buffer contains all blocks; block (i, j) is at (i n + j) times the block length.
// collectives.all_to_all.algorithm selects an algorithm of schedule/all_to_all/all_to_all.h; `auto`, the one
// expected to be fastest; or `file`, an MSCCL algorithm, if the collective is the whole program. The schedule
// is proven to deliver every block to its destination. Throws ConfigError.
CheckedSchedule compile_all_to_all(const config::Loaded& loaded, const topology::Topology& topology,
                                   const topology::RoutingFunction& routing, Bytes bytes);

// The size of each block of an all-to-all in bytes, rounded to whole elements.
Bytes all_to_all_block(Bytes bytes, int accelerators);

// Marks every block with its source. The result is correct if, at the end, every position at every
// accelerator holds the block of the right source.
std::unique_ptr<Verification> make_all_to_all_verification(const schedule::Schedule& schedule);

}  // namespace coppice::system
