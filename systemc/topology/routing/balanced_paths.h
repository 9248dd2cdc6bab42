#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// Defines which sequences of channels are legal paths. A packet is in one of `phases` phases and starts in
// phase 0. In phase p, taking channel c leads to phase after[c * phases + p]; the channel is forbidden if
// this value is -1.
struct PathRules {
  int phases = 1;
  std::vector<int> after;

  int phase_after(ChannelId channel, int phase) const { return after[index(channel, phase)]; }
  // The index of a (node, phase) or (channel, phase) pair.
  std::size_t index(std::int32_t node_or_channel, int phase) const {
    return static_cast<std::size_t>(node_or_channel) * static_cast<std::size_t>(phases) +
           static_cast<std::size_t>(phase);
  }
};

// Rules that allow every path.
PathRules any_path(const Topology& topology);

// Rules for up*/down* paths: any number of channels towards the root, then any number of channels away from
// it. The root is the most central switch, or the most central accelerator if there are no switches. A
// channel leads up if its destination is nearer to the root than its source or, if both are equally near, has
// the lower number.
PathRules up_down_paths(const Topology& topology);

// The order in which the paths to accelerators should be found. Accelerators on the same switch follow one
// another, so that the paths to them spread over all channels towards the switch. If an accelerator is on
// several switches, it is assigned to a switch that has channels to other switches or, if there is none, to
// the switch with the most accelerators.
std::vector<NodeId> in_order_of_switches(const Topology& topology);

// The shortest paths to one destination. A state is a (node, phase) pair with the number node * phases +
// phase.
struct PathTree {
  std::vector<ChannelId> next;  // [state]; -1 at the destination and in states that cannot reach it
  // The states that can reach the destination, except those of the destination itself, in order of decreasing
  // distance.
  std::vector<std::int32_t> far_to_near;
};

// Finds one PathTree after another. Among equally short paths, a tree prefers channels that earlier trees
// load lightly relative to their bandwidth. The traffic from one accelerator to one destination is a load of
// 1.
class BalancedPaths {
 public:
  BalancedPaths(const Topology& topology, const PathRules& rules);

  PathTree paths_to(NodeId dst);

 private:
  std::int32_t state_after(ChannelId channel, int phase) const;
  std::vector<std::int32_t> search_backwards(NodeId dst);
  ChannelId least_loaded(std::int32_t state, double added) const;

  const Topology* topology_;
  const PathRules* rules_;
  std::vector<double> load_;  // [channel]
  // [state]: number of channels to the current destination; -1 if unreachable.
  std::vector<std::int32_t> distance_;
};

}  // namespace coppice::topology
