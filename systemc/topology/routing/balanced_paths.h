#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// Defines which sequences of channels are legal paths. A packet is in one of `phases` phases, starting with
// phase 0. Taking `channel` in `phase` leads to phase after[channel * phases + phase], or is forbidden if
// that is -1.
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

// Rules for up*/down* paths: any number of channels towards the root, then any number away from it. The root
// is the most central switch, or accelerator if there are no switches. "Up" leads to the node that is nearer
// to the root or, if both are equally near, has the lower number.
PathRules up_down_paths(const Topology& topology);

// The accelerators in the order in which to find the paths to them: those on one switch follow one another,
// so that their paths spread over all channels towards it. An accelerator on several switches counts as one
// of a switch with channels to other switches, otherwise of the switch with the most accelerators.
std::vector<NodeId> in_order_of_switches(const Topology& topology);

// The shortest paths to one destination. States are (node, phase) pairs, numbered node * phases + phase.
struct PathTree {
  std::vector<ChannelId> next;  // [state]; -1 at the destination and where it cannot be reached
  // The states that can reach the destination, farthest first, without the destination itself.
  std::vector<std::int32_t> far_to_near;
};

// Finds one PathTree after another. Among equally short paths, a tree prefers channels with little load from
// earlier trees relative to their bandwidth; an accelerator's traffic to one destination is a load of 1.
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
  std::vector<std::int32_t>
      distance_;  // [state]: number of channels to the current destination; -1: unreachable
};

}  // namespace coppice::topology
