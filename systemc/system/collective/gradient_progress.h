#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "ni/issue/final_chunk_counter.h"
#include "ni/memory/message_record.h"
#include "schedule/tables/final_chunks.h"

namespace coppice::system {

// When the chunks of an all-reduce become final, accelerator by accelerator: the gradient turnaround time,
// and whether chunks come in order (C-Cube, Sec. III-D).
class GradientProgress final : public ni::MessageObserver {
 public:
  GradientProgress(schedule::FinalChunks chunks, Femtoseconds period);

  void message_completed(const ni::MessageRecord& message) override;

  // {chunks, turnaround_ns, in_order, early_chunks}. The turnaround: from the begin of the collective until
  // the first chunk is final at the last accelerator. Early chunks: the most that were final at an
  // accelerator while one before them was not; in order: none, anywhere.
  nlohmann::ordered_json to_json() const;

 private:
  schedule::FinalChunks chunks_;
  Femtoseconds period_;
  std::vector<ni::FinalChunkCounter> accelerators_;
  Femtoseconds turnaround_ = 0;
};

}  // namespace coppice::system
