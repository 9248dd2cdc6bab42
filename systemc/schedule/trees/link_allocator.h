#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// The unused capacity of the channels in the current timestep. A timestep is the time that a chunk takes on
// the slowest channel. A channel k times as fast counts as k channels (the paper's multigraph) and carries k
// chunks. A chunk moves at the rate of the slowest channel on its path. At both ends of the path, network
// interfaces handle one message at a time, so the chunk occupies the first and last channel for as long as it
// occupies the slowest channel of the path.
class LinkAllocator {
 public:
  explicit LinkAllocator(const topology::Topology& topology);

  int step() const { return step_; }
  void next_step() { ++step_; }
  // The number of chunks, at most 16, that the channel carries in a timestep.
  int capacity(topology::ChannelId channel) const { return capacity_[static_cast<std::size_t>(channel)]; }
  std::int64_t slowest_bytes_per_second() const { return slowest_; }
  // Whether all capacities are 1, so that a channel is either free or occupied.
  bool uniform() const { return uniform_; }
  // Whether the channel has capacity for a chunk sent at the channel's full rate.
  bool is_free(topology::ChannelId channel) const {
    return used(channel) + kTimestep / capacity(channel) <= kTimestep;
  }
  // Whether a chunk can be sent along `path` in this timestep.
  bool fits(std::span<const topology::ChannelId> path) const;
  void take(std::span<const topology::ChannelId> path);
  void take(topology::ChannelId channel) { take({&channel, 1}); }

 private:
  // The length of a timestep, chosen such that it is divisible by every possible capacity.
  static constexpr int kTimestep = 720'720;
  static constexpr int kMostCapacity = 16;

  int used(topology::ChannelId channel) const {
    const auto index = static_cast<std::size_t>(channel);
    return used_in_[index] == step_ ? used_[index] : 0;
  }
  // Returns the part of the timestep for which a chunk occupies hop `i` of a path whose minimum capacity is
  // `least`.
  int share(std::span<const topology::ChannelId> path, std::size_t i, int least) const {
    return kTimestep / (i == 0 || i + 1 == path.size() ? least : capacity(path[i]));
  }
  int least_capacity(std::span<const topology::ChannelId> path) const;

  std::vector<int> capacity_;  // [channel]
  std::int64_t slowest_ = 1;
  bool uniform_ = true;
  int step_ = 0;              // current timestep; 0 before the first next_step()
  std::vector<int> used_;     // [channel]: the part of a timestep that is used
  std::vector<int> used_in_;  // [channel]: the timestep to which used_ applies
};

}  // namespace coppice::schedule
