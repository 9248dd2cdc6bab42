#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "system/traffic/traffic_options.h"
#include "topology/topology.h"

namespace coppice::system {

// The inputs of a pattern in addition to the network.
struct PatternInput {
  std::vector<Hotspot> hotspots{};          // for the pattern `hotspot`
  std::vector<topology::NodeId> targets{};  // for the pattern `permutation`: [source]
  std::uint64_t seed = 1;                   // for the pattern `randperm`
};

// The name of a pattern and a description of its destinations.
struct PatternInfo {
  Pattern pattern;
  const char* name;
  const char* summary;
};
std::span<const PatternInfo> traffic_patterns();

// The destinations of synthetic traffic. The network has n accelerators, whose numbers have b = log2(n) bits.
//   uniform: any accelerator, including the source;
//   transpose: (y, x) for a source at (x, y) of a square torus or mesh; on other networks, the number with
//     its halves exchanged;
//   bitcomp, bitrev, shuffle: the number with its bits inverted, reversed, or rotated left by one;
//   tornado, neighbor: every coordinate of width k is increased by ceil(k/2) - 1, or by 1;
//   diagonal: the source two times out of three, otherwise the next accelerator;
//   asymmetric: s mod n/2 for source s, plus n/2 for half of the packets;
//   next_group: any accelerator of the next group of a dragonfly;
//   randperm: the target in a random permutation that the seed determines;
//   hotspot: one of the given accelerators, chosen at random by weight;
//   permutation: the target that a file lists.
class TrafficPattern {
 public:
  // Throws UnsupportedError if the network does not have what the pattern needs: the coordinates of a torus
  // or mesh, a number of nodes that is a power of two, or the nodes that are given as hotspots or targets.
  TrafficPattern(Pattern pattern, const topology::Topology& topology, const PatternInput& input = {});

  // Returns the destination of a packet from `src`. Patterns that are permutations do not use `random`.
  topology::NodeId destination(topology::NodeId src, Random& random) const;

 private:
  topology::NodeId drawn_hotspot(Random& random) const;

  Pattern pattern_;
  int nodes_;
  int group_ = 0;                        // for the pattern `next_group`: number of accelerators per group
  std::vector<topology::NodeId> fixed_;  // [source]: its destination; empty if destinations are random
  std::vector<Hotspot> hotspots_;
  int weights_ = 0;
};

const char* to_string(Pattern pattern);

}  // namespace coppice::system
