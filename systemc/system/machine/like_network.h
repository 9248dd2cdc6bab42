#pragma once

#include <memory>

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "topology/routing/network_mapping.h"
#include "topology/structure/likeness.h"
#include "topology/topology.h"

namespace coppice::system {

// The network for which schedules are compiled: if the machine is written as a graph, its likeness
// (topology/structure/likeness.h), so that equal machines get equal schedules however they are written;
// otherwise the machine's own network.
class LikeNetwork {
 public:
  // For interfaces with `ni_ports` ports. `machine` and `routing` must outlive this object.
  LikeNetwork(const config::Loaded& loaded, const topology::Topology& machine,
              const topology::RoutingFunction& routing, int ni_ports);

  const topology::Topology& topology() const { return likeness_ ? likeness_->network : *machine_; }
  const topology::RoutingFunction& routing() const { return likeness_ ? *own_routing_ : *routing_; }
  // The network's accelerator for one of the machine's; kNoNode for kNoNode.
  topology::NodeId member(topology::NodeId accelerator) const;
  // nullptr if the network is the machine's own.
  const topology::Likeness* likeness() const { return likeness_.get(); }

  // Converts tables for topology() to the machine's: its order of accelerators, with shares to match.
  schedule::Schedule adopt(schedule::Schedule schedule) const;
  // adopt() for an all-to-all, each of whose flows is a block or a part of one.
  schedule::Schedule adopt_blocks(schedule::Schedule schedule) const;

 private:
  const config::Loaded* loaded_;
  const topology::Topology* machine_;
  const topology::RoutingFunction* routing_;
  int ni_ports_;
  std::shared_ptr<const topology::Likeness> likeness_;
  std::unique_ptr<topology::RoutingFunction> own_routing_;
};

}  // namespace coppice::system
