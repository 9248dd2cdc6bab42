#pragma once

#include <functional>
#include <span>

#include "schedule/tables/schedule.h"
#include "topology/routing/network_mapping.h"

namespace coppice::schedule {

// The mapping of a network's tables onto the interfaces of a machine.
struct TableMapping {
  std::span<const NodeId> nodes;  // [accelerator of the network]: accelerator of the machine
  int ni_ports = 1;               // of the machine's interfaces
  // Interfaces have one port per channel, and a table is assigned to the port of its messages' first channel.
  // Otherwise it keeps its port in the network.
  bool port_per_channel = false;
};

// Maps tables over the network's own channels, which `placement` has found in the machine. The tables stay in
// the network's order of accelerators; their entries name the machine's nodes and routes. Throws ModelError
// if two tables would share a port.
Schedule map_tables(Schedule schedule, const TableMapping& places, const topology::NetworkMapping& placement);

// Puts the placed tables and the shares of a network with all the machine's accelerators into the machine's
// order. `nodes` as in TableMapping.
Schedule in_machine_order(Schedule schedule, std::span<const NodeId> nodes);

// Maps tables over other routes of the machine: `route` returns the route between two of its accelerators.
Schedule reroute_tables(Schedule schedule, const TableMapping& places,
                        const std::function<topology::Route(NodeId src, NodeId dst)>& route);

}  // namespace coppice::schedule
