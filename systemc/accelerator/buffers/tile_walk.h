#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "accelerator/array/systolic_array.h"
#include "accelerator/buffers/operand_blocks.h"
#include "accelerator/buffers/tiling.h"

namespace coppice::accelerator {

// The computation and the memory traffic of one tile: it loads data before the computation and stores data
// afterwards.
struct TileStep {
  PeCycles compute = 0;
  Bytes input = 0;
  Bytes weight = 0;
  Bytes sums_in = 0;        // incomplete sums that were stored earlier and are loaded again
  Bytes sums_out = 0;       // sums that are stored after the computation
  bool new_output = false;  // whether the tile of sums differs from that of the previous tile
  bool takes_half = false;  // whether data is loaded into half of a buffer, which the tile two positions
                            // before must have left
};

// The tiles of a plan, in order of execution, and their traffic.
struct TileWalk {
  std::vector<TileStep> steps;
  Traffic traffic;
  PeCycles compute = 0;
  bool output_stays = false;
};

// The position and size of a tile within its product.
struct TilePosition {
  std::int64_t m = 0, height = 0;
  std::int64_t k = 0, depth = 0;
  std::int64_t n = 0, width = 0;
};
using TileCycles = std::function<PeCycles(const TilePosition&)>;

// Walks through the tiles of a plan. `cycles` returns the duration of a tile; if it is null, the array's
// formula is used.
TileWalk walk_tiles(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan,
                    const TileCycles& cycles = nullptr, const ValueBytes& bytes = {});
// The total number of cycles of all tiles according to the array's formula. It equals TileWalk::compute but
// needs no walk.
PeCycles tiles_compute(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan);

}  // namespace coppice::accelerator
