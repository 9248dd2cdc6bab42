#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"
#include "workload/layer.h"

namespace coppice::accelerator {

// The buffer sizes of one PE; nullopt: as large as the operand. An operand that fits into its buffer stays
// there; otherwise a tile occupies half of the buffer while the next tile is loaded into the other half.
struct BufferSizes {
  std::optional<Bytes> input;
  std::optional<Bytes> weight;
  std::optional<Bytes> output;
};

// Bytes per value, in the buffers and in memory, of an operand, of a complete result, and of an incomplete
// sum.
struct ValueBytes {
  Bytes operand = workload::kElementBytes;
  Bytes result = workload::kElementBytes;
  Bytes sum = workload::kElementBytes;
};

// The order of the tiles of a product m x k by k x n, named after the operand that stays while the others
// change.
enum class Tiling {
  kLeastTraffic,  // the order that moves the fewest bytes; among equals, the one with the fewest cycles
  kOutputReuse,   // loops over m, n, k: sums stay until they are complete
  kWeightReuse,   // loops over n, k, m
  kInputReuse,    // loops over m, k, n
};

// Every Tiling with a fixed order: all except kLeastTraffic.
inline constexpr std::array kTileOrders = {Tiling::kOutputReuse, Tiling::kWeightReuse, Tiling::kInputReuse};

// The Tiling of "least_traffic", "output_reuse", "weight_reuse" or "input_reuse"; throws
// std::invalid_argument naming them.
Tiling parse_tiling(const std::string& name);
const char* to_string(Tiling tiling);

// Bytes between the memory and the buffers, by operand.
struct Traffic {
  Bytes input = 0;
  Bytes weight = 0;
  Bytes output = 0;  // sums written, including incomplete ones, and incomplete ones read again
  Bytes total() const { return input + weight + output; }
  Traffic& operator+=(const Traffic& other);
  bool operator==(const Traffic&) const = default;
};

// The tiling of one product: the maximum tile size m x k x n, and which operands stay in their buffers
// throughout.
struct TilePlan {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  Tiling order = Tiling::kOutputReuse;  // one of kTileOrders
  bool input_stays = false;
  bool weight_stays = false;
  bool output_stays = false;
};

}  // namespace coppice::accelerator
