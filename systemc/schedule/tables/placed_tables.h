#pragma once

#include <functional>
#include <span>

#include "schedule/tables/schedule.h"
#include "topology/routing/network_mapping.h"

namespace coppice::schedule {

// The mapping of a network's tables onto the interfaces of a machine.
struct TableMapping {
  std::span<const NodeId> nodes;  // [accelerator of the network]: accelerator of the machine
  int ni_ports = 1;               // number of ports of the machine's interfaces
  // If true, interfaces have one port per channel, and a table is assigned to the port of its messages' first
  // channel. Otherwise a table keeps its port number in the network.
  bool port_per_channel = false;
};

// Maps tables onto the machine's channels that `placement` assigns to the network's own channels. The tables
// stay in the network's order of accelerators, but their entries name the machine's nodes and routes. Throws
// ModelError if two tables would share a port.
Schedule map_tables(Schedule schedule, const TableMapping& places, const topology::NetworkMapping& placement);

// Like map_tables() above, with the routes that `route` returns for accelerators and routes of the network.
Schedule map_tables(
    Schedule schedule, const TableMapping& places,
    const std::function<topology::Route(NodeId src, const topology::Route& own, NodeId dst)>& route);

// Reorders mapped tables and shares into the machine's order of accelerators. The network must contain all
// accelerators of the machine. `nodes` is as in TableMapping.
Schedule in_machine_order(Schedule schedule, std::span<const NodeId> nodes);

// Maps tables onto other routes of the machine. `route` returns the route between two of the machine's
// accelerators.
Schedule reroute_tables(Schedule schedule, const TableMapping& places,
                        const std::function<topology::Route(NodeId src, NodeId dst)>& route);

}  // namespace coppice::schedule
