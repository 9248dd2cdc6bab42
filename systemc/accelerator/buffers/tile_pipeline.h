#pragma once

#include <cstdint>
#include <span>

#include "accelerator/array/systolic_array.h"
#include "base/memory_pace.h"
#include "base/units.h"

namespace coppice::accelerator {

// A tile of the whole accelerator. All PEs compute their own tiles at the same time.
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

// Runs tiles, `repeats` times in a row, through double buffers and a memory that serves one transfer at a
// time, in the order of requests. If a load and a store are requested at the same time, the store is served
// first. Requests are made as follows:
//   load     when the previous load is complete and, if the tile needs half of the buffers, the tile two
//     positions before it has left that half
//   compute  when the tile is loaded, the previous tile is computed and, unless `output_stays` is set,
//     half of the output buffer is free because all results of the tile of sums two positions before have
// left it
//   store    when the tile is computed
// TileEngine does the same over TLM sockets. Throws UnsupportedError if the number of cycles is too large to
// be represented.
PipelineTimes run_pipeline(std::span<const TileDemand> tiles, std::int64_t repeats, bool output_stays,
                           const MemoryPace& memory);

}  // namespace coppice::accelerator
