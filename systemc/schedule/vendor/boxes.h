#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// Accelerators in boxes of equal size, with faster links inside boxes than between them. The accelerators of
// the same rank in every box are a rail.
struct Boxes {
  std::vector<std::vector<topology::NodeId>> members;  // [box][rank]

  int count() const { return static_cast<int>(members.size()); }
  int size() const { return static_cast<int>(members.front().size()); }
  topology::NodeId at(int box, int rank) const {
    return members[static_cast<std::size_t>(box)][static_cast<std::size_t>(rank % size())];
  }
};

// The boxes formed by the fastest links that leave no accelerator alone; one box if all links are equally
// fast.
Boxes find_boxes(const topology::Topology& topology);

// Directed rings through all of `count` nodes, no two of which use a link in the same direction: count - 1
// rings use all links in both directions, which is possible except for 4 and 6 nodes (Tillson 1980). Returns
// as many as a search finds, at least one.
std::vector<std::vector<int>> directed_rings(int count);

// Whether every accelerator has a channel to every other.
bool fully_connected(const topology::Topology& topology);

// The switch that adds for all accelerators of a box, with a channel to and from each; kNoNode if there is
// none.
topology::NodeId adder_of(const topology::Topology& topology, const std::vector<topology::NodeId>& box);

}  // namespace coppice::schedule
