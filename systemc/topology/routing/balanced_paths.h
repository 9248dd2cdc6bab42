#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The channel sequences that are legal paths: a packet is in one of `phases` phases, starting in phase 0.
// Taking `channel` in `phase` moves it to phase after[channel * phases + phase], or is forbidden if that is
// -1.
struct PathRules {
  int phases = 1;
  std::vector<int> after;

  int phase_after(ChannelId channel, int phase) const { return after[index(channel, phase)]; }
  // The index of a (node, phase) state.
  std::size_t index(std::int32_t node_or_channel, int phase) const {
    return static_cast<std::size_t>(node_or_channel) * static_cast<std::size_t>(phases) +
           static_cast<std::size_t>(phase);
  }
};

// Rules that allow every path.
PathRules any_path(const Topology& topology);

// Rules for up*/down* paths: any number of channels towards the root, then only away from it. The root is the
// most central switch, or accelerator if there are no switches; "up" leads to the node with fewer channels to
// the root, among equals to the lower node.
PathRules up_down_paths(const Topology& topology);

// The shortest paths to one destination, from (node, phase) states numbered node * phases + phase.
struct PathTree {
  std::vector<ChannelId> next;  // per state; -1 at the destination and if it cannot be reached
  // The states that reach the destination, without the destination itself.
  std::vector<std::int32_t> far_to_near;
};

// Finds one PathTree after another, each spread over equally short paths by the load of the previous trees in
// proportion to bandwidth; one accelerator's traffic to one destination is a load of 1.
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
  std::vector<double> load_;            // per channel
  std::vector<std::int32_t> distance_;  // per state, channels to the current destination; -1: unreachable
};

}  // namespace coppice::topology
