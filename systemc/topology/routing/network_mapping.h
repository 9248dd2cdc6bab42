#pragma once

#include <span>
#include <utility>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Maps the nodes and channels of a network to those of a machine. With it, a schedule that was compiled for
// another network (that of a group or job, or the likeness of a graph) can run on the machine.
class NetworkMapping {
 public:
  // `nodes` contains the machine's node for each node of the network. Parallel channels are matched in the
  // order of by_speed(): the fastest channel of the network with the fastest of the machine, and so on.
  // Throws ModelError if the network has more channels between two nodes than the machine.
  NetworkMapping(const Topology& network, const Topology& machine, std::vector<NodeId> nodes);

  // `channels` contains the machine's channel for each channel of the network.
  NetworkMapping(const Topology& network, const Topology& machine, std::vector<NodeId> nodes,
                 std::vector<ChannelId> channels)
      : network_(&network), machine_(&machine), nodes_(std::move(nodes)), channels_(std::move(channels)) {}

  // For a network that is mapped to a part of the machine: combines `within`, the mapping to the part, with
  // `nodes` and `channels`, which map the part to the machine.
  NetworkMapping(const NetworkMapping& within, const Topology& machine, std::span<const NodeId> nodes,
                 std::span<const ChannelId> channels);

  // Maps a node of the network to the machine. kNoNode is mapped to itself.
  NodeId node(NodeId node) const { return node < 0 ? node : nodes_[static_cast<std::size_t>(node)]; }
  ChannelId channel_id(ChannelId id) const { return channels_[static_cast<std::size_t>(id)]; }
  // Maps a channel of the network to the machine.
  const Channel& channel(ChannelId id) const {
    return machine_->channel(channels_[static_cast<std::size_t>(id)]);
  }
  // Returns the channel of the machine that corresponds to an output port of the network.
  const Channel& behind(NodeId node, int out_port) const {
    return channel(network_->out_channels(node)[static_cast<std::size_t>(out_port)]);
  }

  // Converts `route`, which starts at `src` in the network, to a route over channels of the machine. With
  // `port_per_channel`, the route ends at the NI port (one of `ni_ports`) that serves the machine's channel
  // on which it arrives. Otherwise, it ends at the same port as in the network. Returns an empty route if
  // successive channels do not meet at a node of the machine.
  Route route(NodeId src, const Route& route, int ni_ports, bool port_per_channel) const;

 private:
  const Topology* network_;
  const Topology* machine_;
  std::vector<NodeId> nodes_;
  std::vector<ChannelId> channels_;  // [channel of the network]
};

// Returns the NI port that ejects messages arriving over channel `last`.
inline int ejection_port(const Channel& last, int ni_ports) {
  return last.dst_port % ni_ports;
}

// Returns the route that the machine's routing uses between two accelerators. The route ends at the NI port
// of the channel on which it arrives, so that messages on different channels do not share a port. If there
// are fewer ports than channels, channels are assigned to ports in turn.
Route machine_route(const Topology& machine, const RoutingFunction& routing, NodeId src, NodeId dst,
                    int ni_ports);

// Sorts channels by decreasing bandwidth, then by latency, then by number.
std::vector<ChannelId> by_speed(const Topology& topology, std::span<const ChannelId> channels);

}  // namespace coppice::topology
