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

// The routes among group members. kRouted: always the machine's routes, for callers that route messages
// themselves.
enum class GroupRouting { kOwnNetwork, kRouted };

// A group's own network within a machine, for which its collectives are compiled, and its position in the
// machine. The first applicable kind is used:
//   whole    all accelerators: the machine's own network;
//   grid     a box of a torus or mesh (a row, a plane): a torus of the dimensions that it spans, or a mesh
//            if it spans no dimension completely;
//   levels   some dimensions of a hierarchy, each complete or joined by a switch: the hierarchy of
//            these dimensions;
//   links    direct links over which every member reaches every other (a machine without switches);
//   routed   otherwise one switch that joins all members: messages take the machine's routes.
class GroupNetwork {
 public:
  enum class Kind { kWhole, kGrid, kLevels, kLinks, kRouted };

  // `accelerators` are at least two of the machine's, in the order in which the collective numbers them. A
  // routed group keeps this order; other groups use their network's order. If the machine is a graph,
  // `likeness` provides its dimensions. All references must outlive this object.
  GroupNetwork(const config::Loaded& loaded, const topology::Topology& machine,
               const topology::RoutingFunction& routing, std::vector<topology::NodeId> accelerators,
               GroupRouting ways = GroupRouting::kOwnNetwork, const topology::Likeness* likeness = nullptr);

  Kind kind() const { return kind_; }
  const topology::Topology& topology() const { return whole() ? *machine_ : *topology_; }
  const topology::RoutingFunction& routing() const { return whole() ? *machine_routing_ : *routing_; }
  // [accelerator of the network]: the machine's accelerator.
  const std::vector<topology::NodeId>& accelerators() const { return nodes_; }
  // Maps an accelerator of the machine to the network's.
  topology::NodeId member(topology::NodeId accelerator) const;
  // Networks with equal shapes have equal schedules before placement.
  const std::string& shape() const { return shape_; }

  // Whether another group's network of equal shape occupies images of the same channels of the machine, where
  // `image` maps these channels.
  bool placed_like(const GroupNetwork& other,
                   const std::function<topology::ChannelId(topology::ChannelId)>& image) const;

  // Converts a schedule for topology() to the machine's nodes and routes. Its tables stay in the network's
  // order of accelerators, with one port per interface port of the machine.
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
  const topology::Topology* view_;  // the machine's network, or its likeness: determines dimensions
  Kind kind_ = Kind::kWhole;
  std::string shape_;
  std::vector<topology::NodeId> nodes_;  // accelerators
  std::unique_ptr<topology::Topology> topology_;
  std::unique_ptr<topology::RoutingFunction> routing_;
  std::optional<topology::NetworkMapping>
      placement_;  // of the network's channels in the machine; nullopt for a routed group
};

}  // namespace coppice::system
