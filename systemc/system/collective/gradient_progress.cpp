#include "system/collective/gradient_progress.h"

#include <algorithm>

namespace coppice::system {

GradientProgress::GradientProgress(const schedule::FinalChunks& chunks, Femtoseconds period)
    : chunks_(chunks), period_(period) {
  const std::size_t accelerators = chunks_.flows == 0 ? 0 : chunks_.messages.size() / chunks_.flows;
  for (std::size_t node = 0; node < accelerators; ++node) {
    accelerators_.emplace_back(chunks_, static_cast<schedule::NodeId>(node));
  }
}

void GradientProgress::message_completed(schedule::NodeId accelerator, const ni::MessageRecord& message) {
  auto& counter = accelerators_[static_cast<std::size_t>(accelerator)];
  if (counter.arrived(message.entry->flow) == 0) {
    first_final_ = std::max(first_final_, message.completed);
  }
}

nlohmann::ordered_json GradientProgress::to_json(Cycles begin) const {
  const Femtoseconds turnaround = std::max<Cycles>(first_final_ - begin, 0) * period_;
  std::size_t early = 0;
  for (const ni::FinalChunkCounter& counter : accelerators_) early = std::max(early, counter.early());
  return {
      {"chunks", chunks_.ends.size()},
      {"turnaround_ns", static_cast<double>(turnaround) / static_cast<double>(kFemtosecondsPerNanosecond)},
      {"in_order", early == 0},
      {"early_chunks", early}};
}

}  // namespace coppice::system
