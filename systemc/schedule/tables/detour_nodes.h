#pragma once

#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// The accelerators that forward messages between other accelerators, in ascending order. C-Cube calls them
// detour nodes.
std::vector<NodeId> forwarders(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
