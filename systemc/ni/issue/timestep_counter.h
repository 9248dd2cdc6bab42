#pragma once

#include <cstdint>

namespace coppice::ni {

// The current timestep of a port, starting with 1. Entries of later timesteps must not start yet.
class TimestepCounter {
 public:
  std::int32_t value() const { return value_; }
  void advance_to(std::int32_t step) {
    if (step > value_) value_ = step;
  }
  void reset() { value_ = 1; }

 private:
  std::int32_t value_ = 1;
};

}  // namespace coppice::ni
