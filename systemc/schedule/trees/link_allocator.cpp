#include "schedule/trees/link_allocator.h"

#include <algorithm>

namespace coppice::schedule {

using topology::ChannelId;

LinkAllocator::LinkAllocator(const topology::Topology& topology)
    : used_(topology.channels().size(), 0), used_in_(topology.channels().size(), 0) {
  if (topology.channels().empty()) return;
  const auto bandwidth = [](const topology::Channel& channel) { return channel.bandwidth.bytes_per_second; };
  slowest_ = bandwidth(std::ranges::min(topology.channels(), {}, bandwidth));
  for (const topology::Channel& channel : topology.channels()) {
    const std::int64_t times = bandwidth(channel) / slowest_;
    capacity_.push_back(static_cast<int>(std::min<std::int64_t>(times, kMostCapacity)));
    uniform_ = uniform_ && times == 1;
  }
}

int LinkAllocator::least_capacity(std::span<const ChannelId> path) const {
  int least = kMostCapacity;
  for (const ChannelId id : path) least = std::min(least, capacity(id));
  return least;
}

bool LinkAllocator::fits(std::span<const ChannelId> path) const {
  const int least = least_capacity(path);
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (used(path[i]) + share(path, i, least) > kTimestep) return false;
  }
  return true;
}

void LinkAllocator::take(std::span<const ChannelId> path) {
  const int least = least_capacity(path);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto index = static_cast<std::size_t>(path[i]);
    used_[index] = used(path[i]) + share(path, i, least);
    used_in_[index] = step_;
  }
}

}  // namespace coppice::schedule
