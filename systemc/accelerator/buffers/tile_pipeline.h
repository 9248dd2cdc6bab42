#pragma once

#include <cstdint>
#include <span>

#include "accelerator/array/systolic_array.h"
#include "base/memory_pace.h"
#include "base/units.h"

namespace coppice::accelerator {

// A tile of the whole accelerator: each PE computes its own tile at the same time.
struct TileDemand {
  PeCycles compute = 0;
  Bytes load = 0;
  Bytes store = 0;
  bool new_output = false;
  bool takes_half = false;
};

struct PipelineTimes {
  PeCycles end = 0;          // when the last tile has been computed and its results are in memory
  PeCycles compute = 0;      // cycles in which the arrays are working
  PeCycles memory_busy = 0;  // cycles in which the memory is moving data
  PeCycles stalls() const { return end - compute; }
};

// Runs tiles, `repeats` times in a row, through double buffers and one memory that serves one transfer at a
// time, in request order; among simultaneous requests, results come first. Requests are made as follows:
//   load     when the previous load is over and, if it needs a half of the buffers, the tile before the
//            last has left that half
//   compute  when it is loaded, the previous tile is computed, and the half of the output buffer is free: the
//            results of the last tile but one have left, unless `output_stays`
//   store    when it is computed
// TileEngine does the same over TLM sockets. Throws UnsupportedError if the cycles cannot be counted.
PipelineTimes run_pipeline(std::span<const TileDemand> tiles, std::int64_t repeats, bool output_stays,
                           const MemoryPace& memory);

}  // namespace coppice::accelerator
