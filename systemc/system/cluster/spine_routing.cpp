#include "system/cluster/spine_routing.h"

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::system {

using topology::ChannelId;
using topology::NodeId;

topology::Hop SpineRouting::next_hop(NodeId at, NodeId dst, topology::RouteState& /*state*/,
                                     int ejection_port) const {
  const topology::Topology& network = clos_->topology();
  const int port = at == dst ? static_cast<int>(network.out_channels(at).size()) + ejection_port
                             : network.channel(next_channel(at, dst)).src_port;
  return {.out_port = static_cast<std::uint16_t>(port), .vcs = {0, static_cast<std::uint8_t>(vcs_)}};
}

ChannelId SpineRouting::next_channel(NodeId at, NodeId dst) const {
  const topology::Topology& network = clos_->topology();
  const int to = clos_->tor_of(dst);
  if (network.is_accelerator(at)) return network.out_channels(at).front();
  if (at >= clos_->spine_node(0)) return clos_->down(at - clos_->spine_node(0), to);
  const int tor = at - clos_->tor_node(0);
  if (tor == to) {
    for (const ChannelId id : network.out_channels(at)) {
      if (network.channel(id).dst == dst) return id;
    }
  }
  for (int i = 0; i < clos_->spines(); ++i) {
    const int spine = (dst + i) % clos_->spines();
    if (clos_->up(tor, spine) >= 0 && clos_->down(spine, to) >= 0) return clos_->up(tor, spine);
  }
  throw ModelError(fmt::format("no live spine joins ToR {} and ToR {}", tor, to));
}

}  // namespace coppice::system
