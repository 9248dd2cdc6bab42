#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// Accelerators in boxes of equal size, with faster links inside boxes than between them. A rail consists of
// the accelerators of one rank in all boxes.
struct Boxes {
  std::vector<std::vector<topology::NodeId>> members;  // [box][rank]

  int count() const { return static_cast<int>(members.size()); }
  int size() const { return static_cast<int>(members.front().size()); }
  topology::NodeId at(int box, int rank) const {
    return members[static_cast<std::size_t>(box)][static_cast<std::size_t>(rank % size())];
  }
};

// Returns the boxes, which are the groups of equal size into which the fastest links join all accelerators.
// If all links are equally fast, there is one box.
Boxes find_boxes(const topology::Topology& topology);

// Returns directed rings through all of `count` nodes. No two rings use a link in the same direction. Except
// for 4 and 6 nodes, a set of count - 1 rings exists, which uses all links in both directions (Tillson 1980).
// The result contains as many rings as a search finds, but at least one.
std::vector<std::vector<int>> directed_rings(int count);

// Whether every accelerator has a channel to every other accelerator.
bool fully_connected(const topology::Topology& topology);

// Returns the reducing switch that has channels to and from every accelerator of a box; kNoNode if there is
// none.
topology::NodeId adder_of(const topology::Topology& topology, const std::vector<topology::NodeId>& box);

}  // namespace coppice::schedule
