#pragma once

#include <optional>
#include <utility>

#include "topology/topology.h"

namespace coppice::topology {

// Two accelerators of which the first cannot reach the second; nullopt if all reach each other.
std::optional<std::pair<NodeId, NodeId>> find_unreachable(const Topology& topology);

// Throws UnsupportedError naming two accelerators of which the first cannot reach the second.
void require_connected(const Topology& topology);

}  // namespace coppice::topology
