#pragma once

#include "topology/networks/clos.h"
#include "topology/routing/routing.h"

namespace coppice::system {

// Table-free routing on a Clos network, for messages that a controller will reroute. A message crosses the
// first live spine, counting from a spine that the destination's number selects.
class SpineRouting final : public topology::RoutingFunction {
 public:
  // `clos` must outlive this object.
  SpineRouting(const topology::Clos& clos, int vcs) : clos_(&clos), vcs_(vcs) {}

  // Throws ModelError if no live spine connects the two ToRs.
  topology::Hop next_hop(topology::NodeId at, topology::NodeId dst, topology::RouteState& state,
                         int ejection_port) const override;
  int num_tie_bits() const override { return 0; }
  int num_vcs() const override { return vcs_; }

 private:
  topology::ChannelId next_channel(topology::NodeId at, topology::NodeId dst) const;

  const topology::Clos* clos_;
  int vcs_;
};

}  // namespace coppice::system
