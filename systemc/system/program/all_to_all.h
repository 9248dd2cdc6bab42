#pragma once

#include <memory>

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "system/collective/verification.h"
#include "system/machine/build.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// Compiles an all-to-all of `bytes` per accelerator: block (i, j) of bytes / n bytes moves from accelerator i
// to j. The schedule's buffer contains all blocks; block (i, j) is at (i n + j) times the block length.
// `collectives.all_to_all.algorithm` names an algorithm of schedule/all_to_all/all_to_all.h. It may also be
// `auto`, which stands for the algorithm with the shortest expected time, or, if the collective is the whole
// program, `file`, which stands for an MSCCL or MSCCL++ algorithm. Except for a file, the schedule is proven
// to deliver every block to its destination. Throws ConfigError.
CheckedSchedule compile_all_to_all(const config::Loaded& loaded, const topology::Topology& topology,
                                   const topology::RoutingFunction& routing, Bytes bytes);

// The size of each block of an all-to-all in bytes, rounded to whole elements.
Bytes all_to_all_block(Bytes bytes, int accelerators);

// Marks every block with its source, and checks at the end that every accelerator holds the right block at
// every position.
std::unique_ptr<Verification> make_all_to_all_verification(const schedule::Schedule& schedule);

}  // namespace coppice::system
