#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// Accelerators in boxes of equal size, joined by faster links inside than between them. The accelerators of
// the same rank in every box are a rail.
struct Boxes {
  std::vector<std::vector<topology::NodeId>> members;  // [box][rank]

  int count() const { return static_cast<int>(members.size()); }
  int size() const { return static_cast<int>(members.front().size()); }
  topology::NodeId at(int box, int rank) const {
    return members[static_cast<std::size_t>(box)][static_cast<std::size_t>(rank % size())];
  }
};

// Those that the fastest links form which leave nobody alone: one box where all links are alike.
Boxes find_boxes(const topology::Topology& topology);

// Directed rings through all of `count` nodes that share no link between two of them in the same direction:
// count - 1 use all links both ways, which is possible except for 4 and 6 (Tillson 1980). As many as a search
// finds, one at least.
std::vector<std::vector<int>> directed_rings(int count);

// Whether every accelerator has a channel to every other.
bool fully_connected(const topology::Topology& topology);

// The switch that adds for every accelerator of a box, over a channel of each both ways; kNoNode if there is
// none.
topology::NodeId adder_of(const topology::Topology& topology, const std::vector<topology::NodeId>& box);

}  // namespace coppice::schedule
