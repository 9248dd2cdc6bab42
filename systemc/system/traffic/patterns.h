#pragma once

#include <vector>

#include "base/random.h"
#include "system/collective/run.h"
#include "topology/topology.h"

namespace coppice::system {

// Destinations of synthetic traffic on a torus or mesh.
class TrafficPattern {
 public:
  // Throws UnsupportedError where the pattern is not defined: transpose wants two equal dims, bitcomp a
  // number of nodes that is a power of two.
  TrafficPattern(Pattern pattern, const topology::Topology& topology);

  // The destination of a packet from `src`; only uniform (every node, the source included) uses `random`.
  topology::NodeId destination(topology::NodeId src, Random& random) const;

 private:
  int nodes_;
  std::vector<topology::NodeId> fixed_;  // [src]; empty for uniform
};

const char* to_string(Pattern pattern);

}  // namespace coppice::system
