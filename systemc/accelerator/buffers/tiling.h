#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"
#include "workload/layer.h"

namespace coppice::accelerator {

// The buffer sizes of one PE; nullopt means as large as the operand. An operand that fits into its buffer
// stays there. Otherwise, a tile occupies half of the buffer while the next tile is loaded into the other
// half.
struct BufferSizes {
  std::optional<Bytes> input;
  std::optional<Bytes> weight;
  std::optional<Bytes> output;
};

// The size in bytes, both in the buffers and in memory, of a single value: of an operand, of a complete
// result and of an incomplete sum.
struct ValueBytes {
  Bytes operand = workload::kElementBytes;
  Bytes result = workload::kElementBytes;
  Bytes sum = workload::kElementBytes;
};

// The order in which the tiles of a product (m x k by k x n) are computed. An order is named after the
// operand that stays in its buffer while the other operands change.
enum class Tiling {
  kLeastTraffic,  // the order that moves the fewest bytes; if several do, the one with the fewest cycles
  kOutputReuse,   // loops over m, n, k: sums stay until they are complete
  kWeightReuse,   // loops over n, k, m
  kInputReuse,    // loops over m, k, n
};

// All tilings with a fixed order, that is, all except kLeastTraffic.
inline constexpr std::array kTileOrders = {Tiling::kOutputReuse, Tiling::kWeightReuse, Tiling::kInputReuse};

// Converts "least_traffic", "output_reuse", "weight_reuse" or "input_reuse" to a Tiling. For other names,
// throws a std::invalid_argument that lists the valid names.
Tiling parse_tiling(const std::string& name);
const char* to_string(Tiling tiling);

// The number of bytes that move between memory and buffers, by operand.
struct Traffic {
  Bytes input = 0;
  Bytes weight = 0;
  Bytes output = 0;  // all sums written, plus incomplete sums that are read again
  Bytes total() const { return input + weight + output; }
  Traffic& operator+=(const Traffic& other);
  bool operator==(const Traffic&) const = default;
};

// The tiling of a product: the maximum tile size m x k x n, and whether each operand stays in its buffer
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
