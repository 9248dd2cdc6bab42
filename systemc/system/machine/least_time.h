#pragma once

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "topology/bounds/bound.h"
#include "topology/topology.h"

namespace coppice::system {

// Lower bounds on a collective on a machine: by bandwidth, for the data that must cross between groups of
// accelerators, and by the one-way latency from the farthest accelerator on which another depends.
struct LeastTime {
  topology::LeastTime bandwidth;
  double latency_ns = 0;

  // The larger of the two, in nanoseconds.
  double ns() const;
};

// The parts of a schedule that bounds need: `size` bytes among `accelerators` accelerators, with evenly
// divided data, or with all data at the root if there is one.
schedule::Schedule outline_of(schedule::Collective collective, Bytes size, int accelerators,
                              topology::NodeId root = topology::kNoNode);

// The bounds of a schedule's collective, with the schedule's own shares.
LeastTime find_least_time(const config::SystemConfig& system, const topology::Topology& topology,
                          const schedule::Schedule& schedule);

// The collective's latency alone, in cycles: between an accelerator with a share (any, in an all-reduce) and
// the one farthest from it, by the fastest path, without contention, from the injection of a flit to its
// ejection, after the launch. Beyond 512 accelerators it does not try all of them, but the farthest from one,
// the farthest from that one, and so on.
Cycles least_latency(const config::SystemConfig& system, const topology::Topology& topology,
                     const schedule::Schedule& schedule);

}  // namespace coppice::system
