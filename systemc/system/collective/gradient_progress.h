#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "ni/issue/final_chunk_counter.h"
#include "ni/memory/message_record.h"
#include "schedule/tables/final_chunks.h"

namespace coppice::system {

// The times at which the chunks of an all-reduce become final, per accelerator: the gradient turnaround time,
// and whether chunks arrive in order (C-Cube, Sec. III-D).
class GradientProgress {
 public:
  // `chunks` must outlive this object.
  GradientProgress(const schedule::FinalChunks& chunks, Femtoseconds period);

  // Records that `message`, numbered within the collective, has arrived at an accelerator.
  void message_completed(schedule::NodeId accelerator, const ni::MessageRecord& message);

  // {chunks, turnaround_ns, in_order, early_chunks}. Turnaround: the time from cycle `begin` of the
  // collective until the first chunk is final at the last accelerator. Early chunks: the most chunks that
  // were final at an accelerator while an earlier one was not; in order: there were none anywhere.
  nlohmann::ordered_json to_json(Cycles begin = 0) const;

 private:
  const schedule::FinalChunks& chunks_;
  Femtoseconds period_;
  std::vector<ni::FinalChunkCounter> accelerators_;
  Cycles first_final_ = 0;  // at the last accelerator
};

}  // namespace coppice::system
