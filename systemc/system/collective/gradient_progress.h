#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "ni/issue/final_chunk_counter.h"
#include "ni/memory/message_record.h"
#include "schedule/tables/final_chunks.h"

namespace coppice::system {

// Tracks when the chunks of an all-reduce become final at each accelerator, to determine the gradient
// turnaround time and whether chunks arrive in order (C-Cube, Sec. III-D).
class GradientProgress {
 public:
  // `chunks` must outlive this object.
  GradientProgress(const schedule::FinalChunks& chunks, Femtoseconds period);

  // Records that `message`, numbered within the collective, has arrived at an accelerator.
  void message_completed(schedule::NodeId accelerator, const ni::MessageRecord& message);

  // Returns {chunks, turnaround_ns, in_order, early_chunks}. `turnaround_ns` is the time from cycle `begin`,
  // in which the collective begins, until every accelerator has a final chunk. `early_chunks` is the largest
  // number of chunks that were final at one accelerator while an earlier chunk was not; `in_order` is true if
  // it is zero.
  nlohmann::ordered_json to_json(Cycles begin = 0) const;

 private:
  const schedule::FinalChunks& chunks_;
  Femtoseconds period_;
  std::vector<ni::FinalChunkCounter> accelerators_;
  Cycles first_final_ = 0;  // when the last accelerator got its first final chunk
};

}  // namespace coppice::system
