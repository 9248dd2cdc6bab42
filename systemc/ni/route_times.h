#pragma once

#include <array>
#include <cstdint>

#include "fabric/route_timing.h"
#include "schedule/schedule.h"

namespace coppice::ni {

// The timing of the routes that start at one accelerator, kept for those it used last: tables use few routes
// over and over.
class RouteTimes {
 public:
  RouteTimes(const topology::Topology& topology, const config::SystemConfig& system,
             const schedule::Schedule& schedule, topology::NodeId src)
      : topology_(&topology), system_(&system), schedule_(&schedule), src_(src) {}

  // Of Schedule::routes[route].
  const fabric::RouteTiming& operator[](std::int32_t route) {
    Known& known = known_[static_cast<std::size_t>(route) % known_.size()];
    if (known.route != route) {
      known.timing =
          fabric::time_route(*topology_, *system_, src_, schedule_->routes[static_cast<std::size_t>(route)]);
      known.route = route;
    }
    return known.timing;
  }

 private:
  struct Known {
    std::int32_t route = -1;
    fabric::RouteTiming timing;
  };

  const topology::Topology* topology_;
  const config::SystemConfig* system_;
  const schedule::Schedule* schedule_;
  topology::NodeId src_;
  std::array<Known, 16> known_;
};

}  // namespace coppice::ni
