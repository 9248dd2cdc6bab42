#pragma once

#include <optional>
#include <utility>

#include "topology/topology.h"

namespace coppice::topology {

// Returns two accelerators of which the first cannot reach the second; nullopt if all can reach each other.
std::optional<std::pair<NodeId, NodeId>> find_unreachable(const Topology& topology);

// Throws an UnsupportedError that names two accelerators if the first cannot reach the second.
void require_connected(const Topology& topology);

}  // namespace coppice::topology
