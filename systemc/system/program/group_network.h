#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "topology/routing/placement.h"
#include "topology/routing/routing.h"
#include "topology/structure/likeness.h"
#include "topology/topology.h"

namespace coppice::system {

// How the members of groups reach each other. kRouted: all by the machine's routes, for callers that send
// messages differently.
enum class GroupWays { kOwnNetwork, kRouted };

// The network that a group of accelerators has for itself in a machine, for which its collectives are
// compiled, and its position in the machine. It is the first of these that applies:
//   whole    all accelerators: the machine's own network;
//   grid     a box of a torus or mesh (a row, a plane): a torus of the dimensions that it spans, or a mesh
//            where it spans none of them whole;
//   levels   groups of some dimensions of a hierarchy, whole or some that a switch joins: the hierarchy of
//            those;
//   links    direct links that reach every member from every other (a machine without switches);
//   routed   else one switch that joins all members: messages take the machine's routes.
class GroupNetwork {
 public:
  enum class Kind { kWhole, kGrid, kLevels, kLinks, kRouted };

  // `accelerators` of the machine, two at least, in the order in which the collective counts them, which a
  // routed group keeps; others count theirs in the order of their network. A graph's dimensions are those of
  // its `likeness`. All references outlive it.
  GroupNetwork(const config::Loaded& loaded, const topology::Topology& machine,
               const topology::RoutingFunction& routing, std::vector<topology::NodeId> accelerators,
               GroupWays ways = GroupWays::kOwnNetwork, const topology::Likeness* likeness = nullptr);

  Kind kind() const { return kind_; }
  const topology::Topology& topology() const { return whole() ? *machine_ : *topology_; }
  const topology::RoutingFunction& routing() const { return whole() ? *machine_routing_ : *routing_; }
  // The machine's accelerator of each of the network's.
  const std::vector<topology::NodeId>& accelerators() const { return nodes_; }
  // The network's accelerator of one of the machine's.
  topology::NodeId member(topology::NodeId accelerator) const;
  // Networks of the same text take the same schedules before they are placed.
  const std::string& shape() const { return shape_; }

  // A schedule for topology() with entries that name nodes and routes of the machine; its tables stay in the
  // network's order of accelerators, and have a port for each of the machine's interfaces.
  schedule::Schedule place(schedule::Schedule schedule, int ni_ports) const;

 private:
  bool whole() const { return kind_ == Kind::kWhole; }
  // Convert between the machine's nodes and those of view_.
  topology::NodeId in_view(topology::NodeId node) const;
  topology::NodeId from_view(topology::NodeId node) const;
  bool find_grid();
  bool find_levels();
  bool find_links();
  void route();

  const config::Loaded* loaded_;
  const topology::Topology* machine_;
  const topology::RoutingFunction* machine_routing_;
  const topology::Likeness* likeness_;
  const topology::Topology* view_;  // the machine's network, or its likeness: where dimensions are looked for
  Kind kind_ = Kind::kWhole;
  std::string shape_;
  std::vector<topology::NodeId> nodes_;  // accelerators
  std::unique_ptr<topology::Topology> topology_;
  std::unique_ptr<topology::RoutingFunction> routing_;
  std::optional<topology::Placement> placement_;  // of the network's own channels; none of a routed group
};

}  // namespace coppice::system
