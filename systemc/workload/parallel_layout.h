#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/error.h"

namespace coppice::workload {

// The axes along which the training of a large model is divided among ranks. Every rank has a coordinate on
// each axis.
enum class ParallelAxis { kTensor, kContext, kExpert, kData, kPipeline };
inline constexpr int kParallelAxes = 5;
const char* to_string(ParallelAxis axis);

// Thrown if a layout is impossible. `key` is the configuration key that is responsible, such as
// "training.parallel.tensor".
class LayoutError : public UnsupportedError {
 public:
  LayoutError(std::string key, const std::string& message)
      : UnsupportedError(message), key_(std::move(key)) {}
  const std::string& key() const { return key_; }

 private:
  std::string key_;
};

// The number of ranks along each axis, and the order of the axes. Ranks along the first axis have consecutive
// numbers. All layers except experts have data x expert copies.
struct ParallelSpec {
  int tensor = 1;
  int context = 1;
  int expert = 1;
  int data = 1;
  int pipeline = 1;
  std::vector<ParallelAxis> order{ParallelAxis::kTensor, ParallelAxis::kContext, ParallelAxis::kExpert,
                                  ParallelAxis::kData, ParallelAxis::kPipeline};

  int ways(ParallelAxis axis) const;
  int ranks() const { return tensor * context * expert * data * pipeline; }
  bool operator==(const ParallelSpec&) const = default;
};

using ParallelCoordinates = std::array<int, kParallelAxes>;  // [ParallelAxis]: the coordinate on the axis

// Converts ranks to coordinates and coordinates to ranks.
class ParallelLayout {
 public:
  // Throws LayoutError if the order is not a permutation of the axes, or if the number of ranks along an axis
  // is below 1.
  explicit ParallelLayout(const ParallelSpec& spec);

  int ranks() const { return ranks_; }
  ParallelCoordinates coordinates(int rank) const;
  int rank(const ParallelCoordinates& coordinates) const;
  // All ranks whose coordinates equal those of `rank` except along `axes`, in ascending order. `rank` is one
  // of them.
  std::vector<int> group(int rank, const std::vector<ParallelAxis>& axes) const;

 private:
  ParallelSpec spec_;
  int ranks_ = 1;
  std::array<int, kParallelAxes> strides_{};
};

}  // namespace coppice::workload
