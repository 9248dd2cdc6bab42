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
  std::vector<Hotspot> hotspots{};          // for pattern hotspot
  std::vector<topology::NodeId> targets{};  // for pattern permutation: [source]
  std::uint64_t seed = 1;                   // for pattern randperm
};

// The name of a pattern and a description of its destinations.
struct PatternInfo {
  Pattern pattern;
  const char* name;
  const char* summary;
};
std::span<const PatternInfo> traffic_patterns();

// Destinations of synthetic traffic, with n accelerators of b = log2(n) bits:
//   uniform: any accelerator, including the source;
//   transpose: coordinates (x, y) exchanged on a square torus or mesh, elsewhere the halves of the bits;
//   bitcomp, bitrev, shuffle: the bits inverted, reversed, rotated left by one;
//   tornado, neighbor: every coordinate of width k increased by ceil(k/2) - 1, or by 1;
//   diagonal: the source two times out of three, otherwise the next accelerator;
//   asymmetric: s mod n/2, plus n/2 for half of the packets;
//   next_group: any accelerator of the next group of a dragonfly;
//   randperm: a permutation drawn by the seed;
//   hotspot: one of the given accelerators, drawn by weight;
//   permutation: read from a file.
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
  int group_ = 0;                        // for pattern next_group: number of accelerators per group
  std::vector<topology::NodeId> fixed_;  // [source]: its destination; empty if destinations are random
  std::vector<Hotspot> hotspots_;
  int weights_ = 0;
};

const char* to_string(Pattern pattern);

}  // namespace coppice::system
