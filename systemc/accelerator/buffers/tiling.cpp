#include "accelerator/buffers/tiling.h"

#include <stdexcept>

#include <fmt/format.h>

namespace coppice::accelerator {

Tiling parse_tiling(const std::string& name) {
  if (name == to_string(Tiling::kLeastTraffic)) return Tiling::kLeastTraffic;
  for (const Tiling tiling : kTileOrders) {
    if (name == to_string(tiling)) return tiling;
  }
  throw std::invalid_argument(fmt::format(
      "'{}' is not a tiling: write least_traffic, output_reuse, weight_reuse or input_reuse", name));
}

const char* to_string(Tiling tiling) {
  switch (tiling) {
    case Tiling::kLeastTraffic:
      return "least_traffic";
    case Tiling::kOutputReuse:
      return "output_reuse";
    case Tiling::kWeightReuse:
      return "weight_reuse";
    case Tiling::kInputReuse:
      return "input_reuse";
  }
  return "?";
}

Traffic& Traffic::operator+=(const Traffic& other) {
  input += other.input;
  weight += other.weight;
  output += other.output;
  return *this;
}

}  // namespace coppice::accelerator
