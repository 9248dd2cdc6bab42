#pragma once

#include <span>
#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// A pool of links for trees and rings that share no channel. A link is a channel and its reverse; links are
// grouped by pairs of accelerators. Links are taken and released one at a time, and a pair's links are
// released in the reverse of the order in which they were taken.
class NeighbourLinks {
 public:
  // Throws UnsupportedError if there are switches between accelerators or a channel has no reverse.
  explicit NeighbourLinks(const topology::Topology& topology);

  int accelerators() const { return accelerators_; }
  // The neighbours of `node` in ascending order, without duplicates.
  std::span<const NodeId> neighbours(NodeId node) const {
    return neighbours_[static_cast<std::size_t>(node)];
  }
  int degree(NodeId node) const;

  bool free(NodeId a, NodeId b) const {
    const std::int32_t place = place_of(a, b);
    if (place < 0) return false;
    const Pair& links = pairs_[static_cast<std::size_t>(place)];
    return links.taken < links.out.size();
  }
  void take(NodeId a, NodeId b);
  void release(NodeId a, NodeId b);

  // The channels of a taken link: from `src` to `dst`, and the reverse channel.
  struct Channels {
    topology::ChannelId there = -1;
    topology::ChannelId back = -1;
  };
  Channels claim(NodeId src, NodeId dst);

 private:
  struct Pair {
    std::vector<topology::ChannelId> out;   // from the accelerator with the lower number to the other
    std::vector<topology::ChannelId> back;  // [i]: the reverse of out[i]
    std::size_t taken = 0;
  };
  // Index into pairs_; -1 if the accelerators are not neighbours.
  std::int32_t place_of(NodeId a, NodeId b) const {
    return place_of_[static_cast<std::size_t>(a) * static_cast<std::size_t>(accelerators_) +
                     static_cast<std::size_t>(b)];
  }
  const Pair& pair(NodeId a, NodeId b) const { return pairs_[static_cast<std::size_t>(place_of(a, b))]; }
  Pair& pair(NodeId a, NodeId b) { return pairs_[static_cast<std::size_t>(place_of(a, b))]; }

  int accelerators_;
  std::vector<Pair> pairs_;
  std::vector<std::int32_t> place_of_;  // [a * n + b]: index into pairs_
  std::vector<std::vector<NodeId>> neighbours_;
};

}  // namespace coppice::schedule
