#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "accelerator/array/systolic_array.h"
#include "accelerator/buffers/operand_blocks.h"
#include "accelerator/buffers/tiling.h"

namespace coppice::accelerator {

// The memory traffic of one tile: loads before its computation, stores afterwards.
struct TileStep {
  PeCycles compute = 0;
  Bytes input = 0;
  Bytes weight = 0;
  Bytes sums_in = 0;        // incomplete sums that were stored earlier
  Bytes sums_out = 0;       // sums to be stored
  bool new_output = false;  // its tile of sums differs from the previous one's
  bool takes_half =
      false;  // it is loaded into a half of a buffer, which the tile before the last must have left
};

// The tiles of a plan, in order, and their traffic.
struct TileWalk {
  std::vector<TileStep> steps;
  Traffic traffic;
  PeCycles compute = 0;
  bool output_stays = false;
};

// The indices of a tile in its product.
struct TilePosition {
  std::int64_t m = 0, height = 0;
  std::int64_t k = 0, depth = 0;
  std::int64_t n = 0, width = 0;
};
using TileCycles = std::function<PeCycles(const TilePosition&)>;

// `cycles` returns the duration of a tile; null: use the array's formula.
TileWalk walk_tiles(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan,
                    const TileCycles& cycles = nullptr, const ValueBytes& bytes = {});
// The cycles of all tiles by the array's formula, TileWalk::compute, without a walk.
PeCycles tiles_compute(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan);

}  // namespace coppice::accelerator
