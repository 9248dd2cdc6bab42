#pragma once

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "topology/bounds/bound.h"
#include "topology/topology.h"

namespace coppice::system {

// Lower bounds on a collective on a machine: bandwidth for the data that must pass between groups of
// accelerators, and the one-way latency from the farthest accelerator that another depends on.
struct LeastTime {
  topology::LeastTime bandwidth;
  double latency_ns = 0;

  // The larger of the two, in nanoseconds.
  double ns() const;
};

// The parts of a schedule that bounds need: `size` bytes among `accelerators` accelerators, with evenly
// divided data, or all of it the root's if there is one.
schedule::Schedule outline_of(schedule::Collective collective, Bytes size, int accelerators,
                              topology::NodeId root = topology::kNoNode);

// The bounds of a schedule's collective, with the schedule's own shares.
LeastTime find_least_time(const config::SystemConfig& system, const topology::Topology& topology,
                          const schedule::Schedule& schedule);

// The collective's latency alone: between an accelerator with a share (any, in an all-reduce) and the one
// that is farthest from it, by the fastest way, without contention, from the injection of a flit to its
// ejection, after the launch. Beyond 512 accelerators not all are tried, but the farthest from one, from that
// one and so on. Cycles.
Cycles least_latency(const config::SystemConfig& system, const topology::Topology& topology,
                     const schedule::Schedule& schedule);

}  // namespace coppice::system
