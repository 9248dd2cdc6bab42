#pragma once

#include <span>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Maps the nodes and channels of a network to those of a machine. Schedules that are compiled for another
// network (of a group or job, or the likeness of a graph) run on the machine by this mapping.
class NetworkMapping {
 public:
  // `nodes`: [node of the network]: node of the machine. Parallel channels are paired in the order of
  // by_speed(): the network's fastest with the machine's fastest, and so on. Throws ModelError if the network
  // has more channels between two nodes than the machine.
  NetworkMapping(const Topology& network, const Topology& machine, std::vector<NodeId> nodes);

  // For a network within a part of the machine: composes `within`, the mapping to the part, with `nodes` and
  // `channels`, which map the part to the machine.
  NetworkMapping(const NetworkMapping& within, const Topology& machine, std::span<const NodeId> nodes,
                 std::span<const ChannelId> channels);

  // Maps a node of the network to the machine; maps kNoNode to itself.
  NodeId node(NodeId node) const { return node < 0 ? node : nodes_[static_cast<std::size_t>(node)]; }
  ChannelId channel_id(ChannelId id) const { return channels_[static_cast<std::size_t>(id)]; }
  // Maps a channel of the network to the machine.
  const Channel& channel(ChannelId id) const {
    return machine_->channel(channels_[static_cast<std::size_t>(id)]);
  }
  // The machine's channel behind an output port of the network.
  const Channel& behind(NodeId node, int out_port) const {
    return channel(network_->out_channels(node)[static_cast<std::size_t>(out_port)]);
  }

  // Converts `route`, which starts at `src` in the network, to a route over the machine's channels. With
  // `port_per_channel`, the result ends at the port, out of `ni_ports`, that serves the machine's channel on
  // which it arrives; otherwise, it ends at the same port as in the network.
  Route route(NodeId src, const Route& route, int ni_ports, bool port_per_channel) const;

 private:
  const Topology* network_;
  const Topology* machine_;
  std::vector<NodeId> nodes_;
  std::vector<ChannelId> channels_;  // [channel of the network]
};

// The NI port at which messages that arrive over channel `last` are ejected.
inline int ejection_port(const Channel& last, int ni_ports) {
  return last.dst_port % ni_ports;
}

// The machine's own route between two accelerators, ejected at the interface port of the channel on which it
// arrives, so that messages on different channels do not share a port. If there are fewer ports than
// channels, channels are assigned to ports in turn.
Route machine_route(const Topology& machine, const RoutingFunction& routing, NodeId src, NodeId dst,
                    int ni_ports);

// Sorts channels by decreasing bandwidth, then by latency, then by number.
std::vector<ChannelId> by_speed(const Topology& topology, std::span<const ChannelId> channels);

}  // namespace coppice::topology
