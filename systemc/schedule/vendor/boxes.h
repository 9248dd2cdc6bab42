#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// Accelerators in boxes of equal size, with faster links inside boxes than between them. The accelerators of
// one rank in all boxes form a rail.
struct Boxes {
  std::vector<std::vector<topology::NodeId>> members;  // [box][rank]

  int count() const { return static_cast<int>(members.size()); }
  int size() const { return static_cast<int>(members.front().size()); }
  topology::NodeId at(int box, int rank) const {
    return members[static_cast<std::size_t>(box)][static_cast<std::size_t>(rank % size())];
  }
};

// The boxes formed by the fastest links that join all accelerators into equal groups; one box if all links
// are equally fast.
Boxes find_boxes(const topology::Topology& topology);

// Directed rings through all of `count` nodes, no two of which use a link in the same direction. Except for 4
// and 6 nodes, there are count - 1 rings, which use all links in both directions (Tillson 1980). Returns as
// many as a search finds, at least one.
std::vector<std::vector<int>> directed_rings(int count);

// Whether every accelerator has a channel to every other accelerator.
bool fully_connected(const topology::Topology& topology);

// The reducing switch with a channel to and from every accelerator of a box; kNoNode if there is none.
topology::NodeId adder_of(const topology::Topology& topology, const std::vector<topology::NodeId>& box);

}  // namespace coppice::schedule
