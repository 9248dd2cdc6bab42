#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "system/output/dimension_activity.h"

namespace coppice::system {

// At most kMost samples of the running totals of several series, at about equal intervals. When the limit is
// reached, every other sample is dropped. Taking a sample copies the totals.
class CountSamples {
 public:
  static constexpr std::size_t kMost = 128;

  // Takes the first sample at `now`; the next sample is due after at least `interval`.
  void start(Femtoseconds now, Femtoseconds interval, const std::vector<std::int64_t>& totals);
  bool started() const { return !samples_.empty(); }
  bool due(Femtoseconds now) const { return now >= next_; }
  // Takes a sample at `now`, which must be after the previous one.
  void take(Femtoseconds now, const std::vector<std::int64_t>& totals);
  // Adds the time used by the first `series` series to `windows`, where a unit of series s takes
  // `unit_time[s]`. If units are counted before their time has passed, the excess is moved to the following
  // samples.
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
