#pragma once

#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// A proof without time: apart from the order of a port's entries, only messages impose an order (Lamport
// 1978). An entry waits for a number of arrivals of its flow, so every arrival that it does not count on must
// come from a message that was sent because of the entry; two accesses to the same data must be ordered in
// this way too. If Schedule::ordered_by_lockstep, later timesteps also count as later.
//
// Proves by symbolic replay of the tables in dependency order, at the granularity of the address ranges they
// use: every contribution is added exactly once, every accelerator to which the collective owes a final value
// has it, dependencies are acyclic and met by real arrivals, routes lead where the entries say, and addresses
// stay inside the buffer in whole elements. Throws ScheduleError otherwise.
CheckReport check_schedule(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
