#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// Which channel sequences are paths: a packet is in one of `phases` phases, starting in phase 0, and taking
// `channel` in `phase` puts it in phase after[channel * phases + phase], or is forbidden where that is -1.
struct PathRules {
  int phases = 1;
  std::vector<int> after;

  int phase_after(ChannelId channel, int phase) const { return after[index(channel, phase)]; }
  // The number of a (node, phase) state.
  std::size_t index(std::int32_t node_or_channel, int phase) const {
    return static_cast<std::size_t>(node_or_channel) * static_cast<std::size_t>(phases) +
           static_cast<std::size_t>(phase);
  }
};

// Every path.
PathRules any_path(const Topology& topology);

// Towards the root as long as it likes, then away from it only (up*/down*). The root is the most central
// switch, or accelerator without switches; up is towards fewer channels to the root, then to the lower node.
PathRules up_down_paths(const Topology& topology);

// The shortest paths to one destination, from (node, phase) states numbered node * phases + phase.
struct PathTree {
  std::vector<ChannelId> next;            // per state; -1 at the destination and where it is out of reach
  std::vector<std::int32_t> far_to_near;  // the states that reach the destination, itself left out
};

// Finds one PathTree after another, each spread over equally short paths by the load of the trees before it
// in proportion to bandwidth: a unit of load is one accelerator's traffic to one destination.
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
  std::vector<std::int32_t> distance_;  // per state, channels to the current destination; -1: out of reach
};

}  // namespace coppice::topology
