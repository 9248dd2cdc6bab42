#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "fabric/route_timing.h"
#include "schedule/tables/schedule.h"

namespace coppice::ni {

// The timing of the routes that start at an accelerator. Recent results are cached, because tables use only a
// few different routes.
class RouteTimes {
 public:
  RouteTimes(const topology::Topology& topology, const config::SystemConfig& system,
             const schedule::Schedule& schedule, topology::NodeId src)
      : topology_(&topology),
        system_(&system),
        schedule_(&schedule),
        src_(src),
        known_(std::bit_ceil(std::clamp<std::size_t>(schedule.routes.size(), 1, kMost))) {}

  // Uses the routes of another schedule from now on.
  void use(const schedule::Schedule& schedule) {
    schedule_ = &schedule;
    known_.assign(std::bit_ceil(std::clamp<std::size_t>(schedule.routes.size(), 1, kMost)), {});
  }

  // Returns the timing of Schedule::routes[route].
  const fabric::RouteTiming& operator[](std::int32_t route) {
    Known& known = known_[static_cast<std::size_t>(route) & (known_.size() - 1)];
    if (known.route != route) {
      known.timing =
          fabric::time_route(*topology_, *system_, src_, schedule_->routes[static_cast<std::size_t>(route)]);
      known.route = route;
    }
    return known.timing;
  }

 private:
  static constexpr std::size_t kMost = 64;
  struct Known {
    std::int32_t route = -1;
    fabric::RouteTiming timing;
  };

  const topology::Topology* topology_;
  const config::SystemConfig* system_;
  const schedule::Schedule* schedule_;
  topology::NodeId src_;
  std::vector<Known> known_;  // indexed by the lowest bits of the route's number
};

}  // namespace coppice::ni
