#pragma once

#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// A timing-independent proof: apart from the order of a port's entries, only messages impose an order
// (Lamport 1978). An entry waits for a number of arrivals of its flow, so every other arrival must be a
// consequence of the entry's own message; accesses to the same data must be ordered in the same way. If
// Schedule::ordered_by_lockstep, timesteps are ordered as well.
//
// Proves by symbolic replay of the tables in dependency order, at the granularity of the address ranges they
// use: every contribution is added exactly once, every accelerator to which the collective owes a final value
// receives it, dependencies are acyclic and satisfied, routes lead to the entries' destinations, and
// addresses are whole elements inside the buffer. Throws ScheduleError otherwise.
CheckReport check_schedule(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
