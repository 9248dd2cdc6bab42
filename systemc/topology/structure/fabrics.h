#pragma once

#include <optional>

#include "topology/topology.h"

namespace coppice::topology {

// A graph whose fabrics of several switches (leaves and spines) are one switch each, with channels as long as
// the way to the middle of the fabric. Accelerators keep their numbers, and messages between them take the
// graph's own routes. Returns nullopt without such fabrics, or if a switch has less bandwidth to other
// switches than to accelerators: then the fabric holds up what a switch would not.
std::optional<Topology> join_fabrics(const Topology& graph);

}  // namespace coppice::topology
