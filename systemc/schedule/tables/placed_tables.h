#pragma once

#include <functional>
#include <span>

#include "schedule/tables/schedule.h"
#include "topology/routing/placement.h"

namespace coppice::schedule {

// How the tables of a network lie on the interfaces of a machine.
struct TablePlaces {
  std::span<const NodeId> nodes;  // the machine's accelerator of each of the network's
  int ni_ports = 1;               // of the machine's interfaces
  // Interfaces have a port for every channel: a table goes to the port of the channel that its messages leave
  // by. Otherwise it stays at the port that it has in the network.
  bool port_per_channel = false;
};

// Over the network's own channels, which `placement` has found in the machine. The tables stay in the
// network's order of accelerators; their entries name the machine's nodes and routes. Throws ModelError if
// two tables come to one port.
Schedule place_tables(Schedule schedule, const TablePlaces& places, const topology::Placement& placement);

// Placed tables of a network with all the machine's accelerators, in the machine's order; who owns what
// follows. `nodes` as in TablePlaces.
Schedule in_machine_order(Schedule schedule, std::span<const NodeId> nodes);

// Over other routes of the machine: `route` gives the one between two accelerators of the machine.
Schedule reroute_tables(Schedule schedule, const TablePlaces& places,
                        const std::function<topology::Route(NodeId src, NodeId dst)>& route);

}  // namespace coppice::schedule
