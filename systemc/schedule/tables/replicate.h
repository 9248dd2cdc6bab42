#pragma once

#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// One schedule run by several disjoint groups of a larger machine's accelerators at once: node i of `group`
// is accelerator places[g][i] of group g. What check_schedule() proved of it holds in every group, because
// groups share no accelerator. Flow numbers are per group; entries keep their route numbers, but the routes
// are those of the small topology: on the large one the hosts choose paths. Throws std::invalid_argument if
// an accelerator is in two places or is not one of `accelerators`, or a group is not of the schedule's size.
Schedule relocate(const Schedule& group, const std::vector<std::vector<NodeId>>& places, int accelerators);

}  // namespace coppice::schedule
