#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/units.h"

namespace coppice::ni {

// Counts, per flow, the messages that have been reduced or stored at this accelerator. An entry may issue
// once its flow's count has reached the entry's dependencies. Where arrivals are numbered
// (Schedule::numbered_arrivals), those that overtook others count when the others have come.
class DependencyTracker {
 public:
  // What is known of a flow's arrivals.
  struct FlowState {
    std::int32_t arrivals = 0;
    Cycles last_arrival = 0;
    Cycles tail_injected = 0;  // of the last arrival: when its tail left its sender
    Cycles delay = 0;          // of the last arrival: cycles beyond its zero-load latency
  };

  explicit DependencyTracker(int flows) : flows_(static_cast<std::size_t>(flows)) {}

  // `number`: the arrival's own, or that of the next.
  static constexpr std::int32_t kNext = -1;
  void arrived(std::int32_t flow, Cycles now, Cycles tail_injected, Cycles delay,
               std::int32_t number = kNext) {
    FlowState& state = flows_[static_cast<std::size_t>(flow)];
    if (number != kNext && number != state.arrivals) {
      early_.emplace_back(flow, number);
      return;
    }
    ++state.arrivals;
    while (!early_.empty() && std::erase(early_, std::pair{flow, state.arrivals}) > 0) ++state.arrivals;
    state.last_arrival = now;
    state.tail_injected = tail_injected;
    state.delay = delay;
  }
  bool satisfied(std::int32_t flow, std::int32_t dependencies) const {
    return flows_[static_cast<std::size_t>(flow)].arrivals >= dependencies;
  }
  const FlowState& flow(std::int32_t flow) const { return flows_[static_cast<std::size_t>(flow)]; }

 private:
  std::vector<FlowState> flows_;
  std::vector<std::pair<std::int32_t, std::int32_t>> early_;  // (flow, number): few at a time
};

}  // namespace coppice::ni
