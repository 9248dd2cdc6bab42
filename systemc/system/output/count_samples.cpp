#include "system/output/count_samples.h"

#include <algorithm>
#include <utility>

namespace coppice::system {

void CountSamples::start(Femtoseconds now, Femtoseconds interval, const std::vector<std::int64_t>& totals) {
  interval_ = interval;
  samples_.reserve(kMost + 1);
  samples_.push_back({now, totals});
  next_ = now + interval;
}

void CountSamples::take(Femtoseconds now, const std::vector<std::int64_t>& totals) {
  samples_.push_back({now, totals});
  if (samples_.size() > kMost) {
    for (std::size_t i = 1; 2 * i < samples_.size(); ++i) samples_[i] = std::move(samples_[2 * i]);
    samples_.resize((samples_.size() + 1) / 2);
    interval_ *= 2;
  }
  next_ = now + interval_;
}

void CountSamples::add_to(TimeWindows& windows, std::size_t series,
                          const std::vector<Femtoseconds>& unit_time) const {
  for (std::size_t s = 0; s < series; ++s) {
    Femtoseconds left = 0;
    for (std::size_t i = 1; i < samples_.size(); ++i) {
      const Sample& before = samples_[i - 1];
      const Sample& here = samples_[i];
      left += (here.totals[s] - before.totals[s]) * unit_time[s];
      const Femtoseconds spent = std::min(left, here.at - before.at);
      if (spent > 0) windows.add(s, before.at, here.at, spent);
      left -= spent;
    }
  }
}

}  // namespace coppice::system
