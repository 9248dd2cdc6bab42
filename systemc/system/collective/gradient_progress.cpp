#include "system/collective/gradient_progress.h"

#include <algorithm>
#include <utility>

namespace coppice::system {

GradientProgress::GradientProgress(schedule::FinalChunks chunks, Femtoseconds period)
    : chunks_(std::move(chunks)), period_(period) {
  const std::size_t accelerators = chunks_.flows == 0 ? 0 : chunks_.messages.size() / chunks_.flows;
  for (std::size_t node = 0; node < accelerators; ++node) {
    accelerators_.emplace_back(chunks_, static_cast<schedule::NodeId>(node));
  }
}

void GradientProgress::message_completed(const ni::MessageRecord& message) {
  auto& counter = accelerators_[static_cast<std::size_t>(message.dst)];
  if (counter.arrived(message.entry->flow) == 0) {
    turnaround_ = std::max(turnaround_, message.completed * period_);
  }
}

nlohmann::ordered_json GradientProgress::to_json() const {
  std::size_t early = 0;
  for (const ni::FinalChunkCounter& counter : accelerators_) early = std::max(early, counter.early());
  return {
      {"chunks", chunks_.ends.size()},
      {"turnaround_ns", static_cast<double>(turnaround_) / static_cast<double>(kFemtosecondsPerNanosecond)},
      {"in_order", early == 0},
      {"early_chunks", early}};
}

}  // namespace coppice::system
