#pragma once

#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Proves that a schedule is correct whatever the timing of its messages. Only two orders hold under every
// timing: the order of a port's entries, and the order imposed by messages (Lamport 1978). An entry waits for
// a number of arrivals of its flow, so every other arrival of the flow must be a consequence of the entry's
// own message; accesses to the same data must be ordered in the same way. If Schedule::ordered_by_lockstep is
// set, timesteps are ordered as well.
//
// The tables are replayed symbolically in dependency order, at the granularity of the address ranges that
// they use. The proof shows that every contribution is added exactly once, every accelerator receives the
// final values that the collective owes it, dependencies are acyclic and satisfied, routes lead to the
// entries' destinations, and addresses are whole elements inside the buffer. Throws ScheduleError otherwise.
CheckReport check_schedule(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
