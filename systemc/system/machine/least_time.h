#pragma once

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "topology/bounds/bound.h"
#include "topology/topology.h"

namespace coppice::system {

// Lower bounds on a collective's time on a machine: the bandwidth bound, from the data that must cross
// between groups of accelerators, and the latency bound, the longest one-way latency between two dependent
// accelerators.
struct LeastTime {
  topology::LeastTime bandwidth;
  double latency_ns = 0;

  // The larger bound, in nanoseconds.
  double ns() const;
};

// A schedule with only the parts that the bounds need: `size` bytes, divided evenly among `accelerators`, or
// all at `root` if there is one.
schedule::Schedule outline_of(schedule::Collective collective, Bytes size, int accelerators,
                              topology::NodeId root = topology::kNoNode);

// The bounds on a schedule's collective, given the schedule's shares.
LeastTime find_least_time(const config::SystemConfig& system, const topology::Topology& topology,
                          const schedule::Schedule& schedule);

// The latency bound in cycles, without the launch: the uncontended time from injection to ejection of a flit
// on the fastest path between an accelerator with a share (any, in an all-reduce) and the accelerator
// farthest from it. With more than 512 accelerators, not all of them are tried: the search starts from one,
// continues from the accelerator farthest from it, and so on.
Cycles least_latency(const config::SystemConfig& system, const topology::Topology& topology,
                     const schedule::Schedule& schedule);

}  // namespace coppice::system
