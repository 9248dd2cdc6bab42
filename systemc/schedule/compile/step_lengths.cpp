#include "schedule/compile/step_lengths.h"

#include <algorithm>
#include <cmath>

namespace coppice::schedule {

void StepLengths::add(int step, Bytes bytes, Bandwidth pace) {
  __extension__ using Wide = __int128;
  const auto s = static_cast<std::size_t>(step);
  if (lengths_.size() <= s) lengths_.resize(s + 1);
  Length& longest = lengths_[s];
  const bool longer =
      Wide{bytes} * longest.pace.bytes_per_second > Wide{longest.bytes} * pace.bytes_per_second;
  if (longest.bytes == 0 || longer) longest = {bytes, pace};
}

Bytes StepLengths::Nops::next(int step) {
  const Length length = lengths_->length(step);
  if (length.bytes == 0 || length.pace == pace_) return length.bytes;
  const double ratio =
      static_cast<double>(pace_.bytes_per_second) / static_cast<double>(length.pace.bytes_per_second);
  const double wanted = static_cast<double>(length.bytes) * ratio + owed_;
  const auto units = static_cast<Bytes>(std::llround(wanted / static_cast<double>(unit_)));
  const Bytes bytes = std::max<Bytes>(units, 1) * unit_;
  owed_ = wanted - static_cast<double>(bytes);
  return bytes;
}

}  // namespace coppice::schedule
