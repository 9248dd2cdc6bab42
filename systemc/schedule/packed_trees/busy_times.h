#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedule/packed_trees/message_timing.h"

namespace coppice::schedule {

// Computes how long a message keeps its port busy. `paces` lists the channels that can be the slowest on a
// path; `pace` is an index into `paces`. Caches the most recent result for each pace.
class BusyTimes {
 public:
  BusyTimes(const MessageTiming& timing, std::span<const topology::ChannelId> paces)
      : timing_(timing), paces_(paces), known_(paces.size(), {-1, 0}) {}

  Femtoseconds operator()(std::int32_t pace, Bytes bytes) {
    auto& [length, time] = known_[static_cast<std::size_t>(pace)];
    if (length != bytes) {
      length = bytes;
      time = timing_.busy(paces_[static_cast<std::size_t>(pace)], bytes);
    }
    return time;
  }

 private:
  const MessageTiming& timing_;
  std::span<const topology::ChannelId> paces_;
  std::vector<std::pair<Bytes, Femtoseconds>> known_;  // [pace]: size and result of the last call
};

}  // namespace coppice::schedule
