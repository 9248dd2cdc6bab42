#pragma once

#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// The accelerators that forward messages between others, in ascending order: C-Cube's detour nodes.
std::vector<NodeId> forwarders(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
