#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// The chunks of an all-reduce that become final individually (C-Cube, Sec. III-D). A chunk is the part of the
// buffer that belongs to one flow; chunks are numbered by address. A chunk becomes final at an accelerator
// when the last message that the accelerator receives for that chunk has been reduced or stored.
struct FinalChunks {
  std::size_t flows = 0;
  std::vector<std::int32_t> chunk_of;  // [flow]: number of its chunk; -1: no data
  std::vector<Bytes> ends;             // [chunk]: one past its last address
  std::vector<std::int32_t> messages;  // [accelerator * flows + flow]: number of messages received

  // The number of leading chunks that contain the first `bytes` of the buffer. Throws ModelError if the
  // buffer is shorter.
  std::int64_t chunks_to(Bytes bytes) const;
};

// Finds the final chunks of a schedule whose entries refer to node i as names[i] (or as i if `names` is
// empty). Returns nullopt if the schedule is not an all-reduce, if switches reduce, if flows share addresses
// or have several address ranges, or if there are too many chunks to track.
std::optional<FinalChunks> find_final_chunks(const Schedule& schedule, std::span<const NodeId> names = {});

}  // namespace coppice::schedule
