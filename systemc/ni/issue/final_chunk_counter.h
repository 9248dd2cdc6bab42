#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedule/tables/final_chunks.h"

namespace coppice::ni {

// Counts, in order, the chunks of a buffer that have become final at an accelerator. A chunk counts only when
// it and all earlier chunks are final.
class FinalChunkCounter {
 public:
  // `chunks` must outlive this object.
  FinalChunkCounter(const schedule::FinalChunks& chunks, schedule::NodeId accelerator)
      : chunks_(&chunks), final_(chunks.ends.size(), 0) {
    const auto first = chunks.messages.begin() +
                       static_cast<std::ptrdiff_t>(accelerator) * static_cast<std::ptrdiff_t>(chunks.flows);
    missing_.assign(first, first + static_cast<std::ptrdiff_t>(chunks.flows));
  }

  // Records that a message of `flow` is in memory. Returns the chunk that this message has made final, or -1
  // if there is none.
  std::int32_t arrived(std::int32_t flow) {
    if (--missing_[static_cast<std::size_t>(flow)] > 0) return -1;
    const std::int32_t chunk = chunks_->chunk_of[static_cast<std::size_t>(flow)];
    if (chunk < 0) return -1;
    final_[static_cast<std::size_t>(chunk)] = 1;
    while (in_order_ < final_.size() && final_[in_order_] != 0) ++in_order_;
    early_ = std::max(early_, ++finished_ - in_order_);
    return chunk;
  }
  // The number of chunks before the first chunk that is not final.
  std::size_t in_order() const { return in_order_; }
  // The maximum number of chunks that were final while an earlier chunk was not.
  std::size_t early() const { return early_; }

 private:
  const schedule::FinalChunks* chunks_;
  std::vector<std::int32_t> missing_;  // [flow]: number of messages that have not arrived
  std::vector<std::uint8_t> final_;    // [chunk]
  std::size_t in_order_ = 0;
  std::size_t finished_ = 0;
  std::size_t early_ = 0;
};

}  // namespace coppice::ni
