#pragma once

#include <memory>

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "topology/routing/network_mapping.h"
#include "topology/structure/likeness.h"
#include "topology/topology.h"

namespace coppice::system {

// The network for which schedules are compiled. For a machine described by a graph file, it is the regular
// network that the graph resembles (topology/structure/likeness.h), so that equal machines get equal
// schedules however they are described. For other machines, it is their own network.
class LikeNetwork {
 public:
  // `ni_ports`: ports per network interface. `machine` and `routing` must outlive this object.
  LikeNetwork(const config::Loaded& loaded, const topology::Topology& machine,
              const topology::RoutingFunction& routing, int ni_ports);

  const topology::Topology& topology() const { return likeness_ ? likeness_->network : *machine_; }
  const topology::RoutingFunction& routing() const { return likeness_ ? *own_routing_ : *routing_; }
  // Maps an accelerator of the machine to its number in topology(); maps kNoNode to itself.
  topology::NodeId member(topology::NodeId accelerator) const;
  // nullptr if the network is the machine's own.
  const topology::Likeness* likeness() const { return likeness_.get(); }

  // Converts a schedule for topology() to the machine's numbering of accelerators, including shares.
  schedule::Schedule adopt(schedule::Schedule schedule) const;
  // Like adopt(), for an all-to-all, whose flows are blocks or parts of blocks.
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
