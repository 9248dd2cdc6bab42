#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "accelerator/array/systolic_array.h"
#include "accelerator/buffers/operand_blocks.h"
#include "base/units.h"

namespace coppice::accelerator {

// The buffers of one PE; none: as large as the operand. An operand that is no larger than its buffer stays
// there; of a larger one a tile takes half of the buffer while the next one comes into the other half.
struct BufferSizes {
  std::optional<Bytes> input;
  std::optional<Bytes> weight;
  std::optional<Bytes> output;
};

// The bytes of a value in the buffers and in the memory: of an operand, of a complete result, of a sum that
// is not complete yet.
struct ValueBytes {
  Bytes operand = workload::kElementBytes;
  Bytes result = workload::kElementBytes;
  Bytes sum = workload::kElementBytes;
};

// In which order tiles of a product m x k by k x n follow one another: what stays while the others change.
enum class Tiling {
  kLeastTraffic,  // the order and the sizes that move the fewest bytes; of those, the fewest cycles
  kOutputReuse,   // for m, for n, for k: sums stay until they are complete
  kWeightReuse,   // for n, for k, for m
  kInputReuse,    // for m, for k, for n
};

// The Tiling of "least_traffic", "output_reuse", "weight_reuse" or "input_reuse"; throws
// std::invalid_argument naming them.
Tiling parse_tiling(const std::string& name);
const char* to_string(Tiling tiling);

// Bytes between the memory and the buffers, by operand.
struct Traffic {
  Bytes input = 0;
  Bytes weight = 0;
  Bytes output = 0;  // sums written, and those that were written incomplete and read again
  Bytes total() const { return input + weight + output; }
  Traffic& operator+=(const Traffic& other);
  Traffic operator*(std::int64_t times) const;
  bool operator==(const Traffic&) const = default;
};

// How one product is cut: tiles of at most m x k x n, and what stays in its buffer throughout.
struct TilePlan {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  Tiling order = Tiling::kOutputReuse;
  bool input_stays = false;
  bool weight_stays = false;
  bool output_stays = false;
};

// What one tile needs of the memory before it can be computed, and gives it afterwards.
struct TileStep {
  PeCycles compute = 0;
  Bytes input = 0;
  Bytes weight = 0;
  Bytes sums_in = 0;        // incomplete sums that left before
  Bytes sums_out = 0;       // sums that leave
  bool new_output = false;  // it begins another tile of sums than the one before
  bool takes_half = false;  // it comes into the half of a buffer, which the tile before the last must leave
};

// Cuts the product of `operands` for `array`. Throws UnsupportedError naming the buffer that is too small
// for a tile of the array.
TilePlan plan_tiles(const ProductOperands& operands, const SystolicArray& array, const BufferSizes& buffers,
                    Tiling tiling, const ValueBytes& bytes = {});

// The tiles of a plan one after the other, and the bytes that they move.
struct TileWalk {
  std::vector<TileStep> steps;
  Traffic traffic;
  PeCycles compute = 0;
  bool output_stays = false;
};
// Where a tile lies in its product.
struct TilePlace {
  std::int64_t m = 0, height = 0;
  std::int64_t k = 0, depth = 0;
  std::int64_t n = 0, width = 0;
};
using TileCycles = std::function<PeCycles(const TilePlace&)>;

// `cycles` says how long a tile takes: the array's formula if it is null.
TileWalk walk_tiles(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan,
                    const TileCycles& cycles = nullptr, const ValueBytes& bytes = {});
// The cycles of all tiles by the array's formula, without a walk: TileWalk::compute.
PeCycles tiles_compute(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan);

}  // namespace coppice::accelerator
