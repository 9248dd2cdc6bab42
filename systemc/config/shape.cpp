#include "config/shape.h"

#include <algorithm>

namespace coppice::config {
namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 40;

std::int64_t power(std::int64_t base, int exponent) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent && result < kMany; ++i) result *= base;
  return result;
}

}  // namespace

bool has_dims(const Config& config) {
  const std::string& kind = config.system.topology.kind;
  return kind != "file" && kind != "hierarchy" && kind != "dgx1";
}

bool is_grid(const Config& config) {
  return config.system.topology.kind == "torus" || config.system.topology.kind == "mesh";
}

bool has_trees(const Config& config) {
  const std::string& algorithm = config.collective.algorithm;
  return algorithm == "tree" || algorithm.ends_with("_tree");
}

bool trains_text_workload(const Config& config) {
  return config.training.model.ends_with(".txt");
}

std::int64_t count_accelerators(const Config& config) {
  const TopologyConfig& topology = config.system.topology;
  if (topology.kind == "hierarchy" && !topology.dimensions.empty()) {
    std::int64_t count = 1;
    for (const topology::DimensionSpec& dimension : topology.dimensions) {
      count = std::min(count * dimension.size, kMany);
    }
    return count;
  }
  if (topology.kind == "dgx1") return 8;
  if (!has_dims(config) || topology.dims.empty()) return 0;
  if (topology.kind == "fat_tree") {
    // k-ary n-level, or accelerators per leaf, leaves, spines.
    if (topology.dims.size() == 2) return power(topology.dims[0], topology.dims[1]);
    if (topology.dims.size() == 3) return std::int64_t{topology.dims[0]} * topology.dims[1];
    return 0;
  }
  // Accelerators per ToR, ToRs, spines.
  if (topology.kind == "clos") {
    return topology.dims.size() == 3 ? std::int64_t{topology.dims[0]} * topology.dims[1] : 0;
  }
  std::int64_t count = 1;
  for (const int width : topology.dims) count = std::min(count * width, kMany);
  return count;
}

}  // namespace coppice::config
