#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "topology/routing/network_mapping.h"
#include "topology/routing/routing.h"
#include "topology/structure/likeness.h"
#include "topology/topology.h"

namespace coppice::system {

// The choice of routes between the members of a group. kRouted: always the machine's routes, for callers that
// route messages themselves.
enum class GroupRouting { kOwnNetwork, kRouted };

// A group's own network, for which its collectives are compiled, and its placement on the machine. The first
// kind that applies is used:
//   whole    all accelerators: the machine's own network;
//   grid     a box of a torus or mesh, such as a row or a plane: a torus of the dimensions that it spans, or
//            a mesh if it spans no dimension completely;
//   levels   some dimensions of a hierarchy, each either complete or joined by a switch: the hierarchy of
//            these dimensions;
//   links    a group whose members are connected by the direct links between them, on a machine without
//            switches: these links;
//   routed   any other group: one switch that joins all members; messages take the machine's routes.
class GroupNetwork {
 public:
  enum class Kind { kWhole, kGrid, kLevels, kLinks, kRouted };

  // `accelerators`: at least two accelerators of the machine, in the order in which the collective numbers
  // them. A routed group keeps this order; other groups use their network's order. If the machine is a graph,
  // `likeness` provides its dimensions. All references must outlive this object.
  GroupNetwork(const config::Loaded& loaded, const topology::Topology& machine,
               const topology::RoutingFunction& routing, std::vector<topology::NodeId> accelerators,
               GroupRouting ways = GroupRouting::kOwnNetwork, const topology::Likeness* likeness = nullptr);

  Kind kind() const { return kind_; }
  const topology::Topology& topology() const { return whole() ? *machine_ : *topology_; }
  const topology::RoutingFunction& routing() const { return whole() ? *machine_routing_ : *routing_; }
  // [accelerator of the network]: accelerator of the machine.
  const std::vector<topology::NodeId>& accelerators() const { return nodes_; }
  // Maps an accelerator of the machine to its number in the network.
  topology::NodeId member(topology::NodeId accelerator) const;
  // Networks with equal shapes get equal schedules, which are then placed on the machine.
  const std::string& shape() const { return shape_; }

  // Whether another group's network of the same shape uses corresponding channels of the machine. `image`
  // maps corresponding channels to the same number.
  bool placed_like(const GroupNetwork& other,
                   const std::function<topology::ChannelId(topology::ChannelId)>& image) const;

  // Converts a schedule for topology() to the machine's nodes and routes. Its tables stay in the network's
  // order of accelerators, and each has one port per interface port of the machine.
  schedule::Schedule place(schedule::Schedule schedule, int ni_ports) const;

 private:
  bool whole() const { return kind_ == Kind::kWhole; }
  // Convert between nodes of the machine and nodes of view_.
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
  const topology::Topology* view_;  // the network that determines dimensions: the machine's, or its likeness
  Kind kind_ = Kind::kWhole;
  std::string shape_;
  std::vector<topology::NodeId> nodes_;  // [accelerator of the network]: accelerator of the machine
  std::unique_ptr<topology::Topology> topology_;
  std::unique_ptr<topology::RoutingFunction> routing_;
  // The placement of the network on the machine; nullopt for a routed group.
  std::optional<topology::NetworkMapping> placement_;
};

}  // namespace coppice::system
