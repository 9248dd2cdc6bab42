#pragma once

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "topology/bounds/bound.h"
#include "topology/topology.h"

namespace coppice::system {

// Two lower bounds on the time of a collective on a machine. The bandwidth bound follows from the data that
// must cross between groups of accelerators. The latency bound is the longest one-way latency between two
// accelerators of which one needs data of the other.
struct LeastTime {
  topology::LeastTime bandwidth;
  double latency_ns = 0;

  // The larger bound, in nanoseconds.
  double ns() const;
};

// A schedule without tables, with only what the bounds need: `size` bytes, which all belong to `root` if it
// is given, and are otherwise divided evenly among `accelerators`.
schedule::Schedule outline_of(schedule::Collective collective, Bytes size, int accelerators,
                              topology::NodeId root = topology::kNoNode);

// The bounds on the schedule's collective. Only the sizes and owners of its shares matter, not its tables.
LeastTime find_least_time(const config::SystemConfig& system, const topology::Topology& topology,
                          const schedule::Schedule& schedule);

// The latency bound in cycles, including the launch: the time of a single flit on the fastest path between an
// accelerator with a share (any accelerator, in an all-reduce) and the accelerator farthest from it. If more
// than 512 accelerators qualify, they are not all tried. Instead, a search starts from one of them and
// repeatedly continues from the accelerator farthest from the last one.
Cycles least_latency(const config::SystemConfig& system, const topology::Topology& topology,
                     const schedule::Schedule& schedule);

}  // namespace coppice::system
