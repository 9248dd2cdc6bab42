#pragma once

#include <optional>
#include <utility>

#include "topology/topology.h"

namespace coppice::topology {

// Finds two accelerators such that the second cannot be reached from the first. Returns nullopt if all
// accelerators can reach each other.
std::optional<std::pair<NodeId, NodeId>> find_unreachable(const Topology& topology);

// Throws UnsupportedError if an accelerator cannot reach another; the error names both.
void require_connected(const Topology& topology);

}  // namespace coppice::topology
