#pragma once

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "topology/bounds/bound.h"
#include "topology/topology.h"

namespace coppice::system {

// What no schedule of a collective can do without on a machine: bandwidth for what has to pass between groups
// of accelerators, and the way from the farthest accelerator that another has to hear of, one way.
struct LeastTime {
  topology::LeastTime bandwidth;
  double latency_ns = 0;

  // The larger of the two, in nanoseconds.
  double ns() const;
};

// Of the collective that the configuration names, its data shared out evenly. Throws ConfigError at
// `collective.root` for an accelerator that does not exist.
LeastTime find_least_time(const config::Loaded& loaded, const topology::Topology& topology);

// Of a schedule's collective with the shares that it has, whatever else it does.
LeastTime find_least_time(const config::SystemConfig& system, const topology::Topology& topology,
                          const schedule::Schedule& schedule);

// The collective's latency alone: between an accelerator with a share (any, in an all-reduce) and the one
// that is farthest from it, by the fastest way, without contention, from the injection of a flit to its
// ejection, after the launch. Beyond 512 accelerators not all are tried, but the farthest from one, from that
// one and so on. Cycles.
Cycles least_latency(const config::SystemConfig& system, const topology::Topology& topology,
                     const schedule::Schedule& schedule);

}  // namespace coppice::system
