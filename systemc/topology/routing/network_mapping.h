#pragma once

#include <span>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Maps the nodes and channels of a network into a machine. It is the only port map for everything compiled
// for its own network (a group, a job, a graph by its structure) and executed on the machine.
class NetworkMapping {
 public:
  // `nodes` has the machine's node for each of the network's. Parallel channels are paired by speed: the
  // network's fastest (then of the least latency, then the first) with the machine's fastest. Throws
  // ModelError if the network has more channels between two nodes than the machine.
  NetworkMapping(const Topology& network, const Topology& machine, std::vector<NodeId> nodes);

  // A network that lies within a part of the machine: `nodes` and `channels` map those of the part to the
  // machine's.
  NetworkMapping(const NetworkMapping& within, const Topology& machine, std::span<const NodeId> nodes,
                 std::span<const ChannelId> channels);

  // The machine's node for one of the network's; kNoNode for kNoNode.
  NodeId node(NodeId node) const { return node < 0 ? node : nodes_[static_cast<std::size_t>(node)]; }
  // The machine's channel for one of the network's.
  const Channel& channel(ChannelId id) const {
    return machine_->channel(channels_[static_cast<std::size_t>(id)]);
  }
  // The machine's channel for an output port of the network.
  const Channel& behind(NodeId node, int out_port) const {
    return channel(network_->out_channels(node)[static_cast<std::size_t>(out_port)]);
  }

  // A route of the network that starts at `src`, over the machine's channels. With `port_per_channel` it is
  // ejected at the port, of `ni_ports`, that belongs to the machine's channel on which it arrives; otherwise
  // at the port that it has in the network.
  Route route(NodeId src, const Route& route, int ni_ports, bool port_per_channel) const;

 private:
  const Topology* network_;
  const Topology* machine_;
  std::vector<NodeId> nodes_;
  std::vector<ChannelId> channels_;  // [channel of the network]
};

// The NI port at which messages that arrive over `last` leave the machine's network.
inline int ejection_port(const Channel& last, int ni_ports) {
  return last.dst_port % ni_ports;
}

// The machine's own route from one accelerator to another, ejected at the interface port of the channel on
// which it arrives, so that messages over different channels do not share a port. An interface with fewer
// ports than channels assigns them in turn.
Route machine_route(const Topology& machine, const RoutingFunction& routing, NodeId src, NodeId dst,
                    int ni_ports);

// The channels from the fastest to the slowest; equally fast ones by latency, then by number.
std::vector<ChannelId> by_speed(const Topology& topology, std::span<const ChannelId> channels);

}  // namespace coppice::topology
