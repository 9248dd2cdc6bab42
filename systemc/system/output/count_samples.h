#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "system/output/dimension_activity.h"

namespace coppice::system {

// Samples of the running totals of several series at roughly equal intervals. When there are kMost samples,
// every other one is dropped. A sample stores a copy of the totals.
class CountSamples {
 public:
  static constexpr std::size_t kMost = 128;

  // Takes the first sample at `now`. The next one is due after `interval`.
  void start(Femtoseconds now, Femtoseconds interval, const std::vector<std::int64_t>& totals);
  bool started() const { return !samples_.empty(); }
  bool due(Femtoseconds now) const { return now >= next_; }
  // Takes a sample at `now`, which must be after the previous one.
  void take(Femtoseconds now, const std::vector<std::int64_t>& totals);
  // Converts the totals of the first `series` series to time, at `unit_time[s]` per unit of series s, and
  // adds the time to `windows`. If units are counted before their time has passed, the excess is moved to
  // later samples.
  void add_to(TimeWindows& windows, std::size_t series, const std::vector<Femtoseconds>& unit_time) const;

 private:
  struct Sample {
    Femtoseconds at = 0;
    std::vector<std::int64_t> totals;
  };

  Femtoseconds interval_ = 0;
  Femtoseconds next_ = 0;
  std::vector<Sample> samples_;
};

}  // namespace coppice::system
