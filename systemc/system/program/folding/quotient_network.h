#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// The quotient of a network by copies of a part of it. Nodes of all copies that play the same role form one
// node of the quotient, and their channels form one channel. A switch that copies share is also one node. If
// all copies do the same in the same cycles, the quotient shows what happens in the whole network.
class QuotientNetwork {
 public:
  // `copies`: [copy][role]: accelerator of the machine; an accelerator has at most one role. Returns nullptr
  // if the copies' channels differ, if a channel leads directly from a node to a node of the same role in
  // another copy, or if switches reduce.
  static std::unique_ptr<QuotientNetwork> find(const topology::Topology& machine,
                                               std::span<const std::vector<topology::NodeId>> copies);

  // The quotient network. Accelerators are numbered by role, and their ports as in the machine.
  const topology::Topology& topology() const { return *topology_; }
  int copies() const { return copies_; }
  // The node of the quotient to which a node of the machine belongs; kNoNode if it has no role.
  topology::NodeId node(topology::NodeId node) const { return nodes_[static_cast<std::size_t>(node)]; }
  // The copy to which a node of the machine belongs; -1 if copies share it or it has no role.
  int copy(topology::NodeId node) const { return copy_of_[static_cast<std::size_t>(node)]; }
  // The channel of the quotient to which a channel of the machine belongs; -1 if the latter joins switches
  // that copies share or has an end without a role.
  topology::ChannelId channel(topology::ChannelId id) const {
    return channels_[static_cast<std::size_t>(id)];
  }

  // The route on the quotient that corresponds to a route of the machine from `src`; nullopt if a channel of
  // the route does not belong to the quotient.
  std::optional<topology::Route> image(topology::NodeId src, const topology::Route& route) const;

 private:
  struct Builder;
  QuotientNetwork(const topology::Topology& machine, int copies);

  const topology::Topology* machine_;
  int copies_;
  std::unique_ptr<topology::Topology> topology_;
  std::vector<topology::NodeId> nodes_;        // [node of the machine]: node of the quotient
  std::vector<int> copy_of_;                   // [node of the machine]: its copy
  std::vector<topology::ChannelId> channels_;  // [channel of the machine]: channel of the quotient
};

}  // namespace coppice::system
