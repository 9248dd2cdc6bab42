#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// Which channels are free in the current timestep: a channel that is given away is gone until the next.
class LinkAllocator {
 public:
  explicit LinkAllocator(const topology::Topology& topology) : taken_in_(topology.channels().size(), 0) {}

  int step() const { return step_; }
  void next_step() { ++step_; }
  bool is_free(topology::ChannelId channel) const {
    return taken_in_[static_cast<std::size_t>(channel)] != step_;
  }
  void take(topology::ChannelId channel) { taken_in_[static_cast<std::size_t>(channel)] = step_; }

 private:
  int step_ = 0;               // none before the first next_step()
  std::vector<int> taken_in_;  // [channel]: the last timestep that used it
};

}  // namespace coppice::schedule
