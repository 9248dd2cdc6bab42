#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.h"

namespace coppice::schedule {

// An event queue for simulations in which most events occur after one of a few fixed delays. Events with the
// same delay share a lane, which is always sorted because simulated time never decreases; all other events
// are kept in a heap. Simultaneous events of one lane keep the order in which they were added; across lanes,
// the lowest event number comes first.
class EventLanes {
 public:
  struct Event {
    Femtoseconds at = 0;
    std::int32_t number = 0;
  };

  // The lane for events that occur `delay` after they are added; there is one lane per delay.
  std::size_t lane(Femtoseconds delay) {
    const auto known = std::ranges::find(lanes_, delay, &Lane::delay);
    if (known != lanes_.end()) return static_cast<std::size_t>(known - lanes_.begin());
    lanes_.push_back({delay, {}, 0});
    return lanes_.size() - 1;
  }

  bool empty() const { return fronts_.empty(); }
  // The time of the next event.
  Femtoseconds next_time() const { return fronts_.front().at; }

  // Adds event `number` to `lane`. `now` must not decrease from call to call.
  void push_after(std::size_t lane, Femtoseconds now, std::int32_t number) {
    Lane& queue = lanes_[lane];
    queue.events.push_back({now + queue.delay, number});
    if (queue.events.size() - queue.first == 1) add_front({now + queue.delay, number, lane});
  }
  // Adds an event at any time that is not in the past.
  void push_at(Femtoseconds at, std::int32_t number) { add_front({at, number, kNoLane}); }

  // Removes and returns the next event.
  Event pop() {
    std::ranges::pop_heap(fronts_, std::greater{});
    const Front front = fronts_.back();
    fronts_.pop_back();
    if (front.lane != kNoLane) advance(front.lane);
    return {front.at, front.number};
  }

 private:
  static constexpr std::size_t kNoLane = static_cast<std::size_t>(-1);
  static constexpr std::size_t kCleared = 4096;  // a lane with more past events than this erases them

  struct Lane {
    Femtoseconds delay = 0;
    std::vector<Event> events;
    std::size_t first = 0;
  };
  struct Front {
    Femtoseconds at;
    std::int32_t number;
    std::size_t lane;
    bool operator>(const Front& other) const {
      return std::tie(at, number) > std::tie(other.at, other.number);
    }
  };

  void add_front(const Front& front) {
    fronts_.push_back(front);
    std::ranges::push_heap(fronts_, std::greater{});
  }

  void advance(std::size_t lane) {
    Lane& queue = lanes_[lane];
    ++queue.first;
    if (queue.first == queue.events.size()) {
      queue.events.clear();
      queue.first = 0;
      return;
    }
    if (queue.first > kCleared && 2 * queue.first > queue.events.size()) {
      queue.events.erase(queue.events.begin(),
                         queue.events.begin() + static_cast<std::ptrdiff_t>(queue.first));
      queue.first = 0;
    }
    const Event& next = queue.events[queue.first];
    add_front({next.at, next.number, lane});
  }

  std::vector<Lane> lanes_;
  std::vector<Front> fronts_;  // a heap of the first event of every lane and all events without a lane
};

}  // namespace coppice::schedule
