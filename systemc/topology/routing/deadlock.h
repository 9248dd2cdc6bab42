#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// The channel dependency graph (Dally and Seitz 1987) of a set of routes. It has a vertex for each (channel,
// virtual channel) pair, and an edge from one vertex to another if a packet may hold the first while it waits
// for the second. If the graph is acyclic, wormhole switching is deadlock-free with any arbitration.
class ChannelDependencyGraph {
 public:
  ChannelDependencyGraph(const Topology& topology, int vcs);

  // Adds the dependencies of a route that starts at `src`.
  void add_route(NodeId src, std::span<const Hop> route);
  // Adds the routes of `routing` between all pairs of accelerators. For every tie, the routes in both
  // directions are added.
  void add_all_pairs(const RoutingFunction& routing);

  // Returns the vertices of a cycle in order, without repeating the first vertex; empty if there is no cycle.
  std::vector<std::pair<ChannelId, int>> find_cycle() const;

  // Compares the topologies and the dependencies of two graphs.
  bool operator==(const ChannelDependencyGraph&) const = default;

  // Formats a cycle for error messages: "channel 3->7 vc 1, channel 7->11 vc 1, ...".
  std::string describe(std::span<const std::pair<ChannelId, int>> cycle) const;

 private:
  // Records that a packet in any of `held_vcs` of channel `held` waits for `next`.
  void add_dependency(ChannelId held, VcRange held_vcs, const Hop& next);

  const Topology* topology_;
  int vcs_;
  // dependents_[channel * vcs + vc] contains bit out_port * vcs + vc' if a packet that holds this virtual
  // channel may wait for virtual channel vc' of this output port at the channel's destination. It is empty if
  // there are no dependencies.
  std::vector<std::vector<std::uint64_t>> dependents_;
};

}  // namespace coppice::topology
