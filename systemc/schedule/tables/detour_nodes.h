#pragma once

#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// The accelerators that messages between others pass through, ascending: C-Cube's detour nodes.
std::vector<NodeId> forwarders(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
