#include "config/settings/shape.h"

#include <algorithm>

namespace coppice::config {

using topology::DescribedBy;
using workload::CollectiveOp;

const topology::KindInfo* kind_of(const Config& config) {
  return topology::find_kind(config.system.topology.kind);
}

bool described_by(const Config& config, DescribedBy where) {
  const topology::KindInfo* const kind = kind_of(config);
  return kind != nullptr && kind->described_by == where;
}

bool has_dims(const Config& config) {
  return described_by(config, DescribedBy::kDims);
}

bool is_grid(const Config& config) {
  const topology::KindInfo* const kind = kind_of(config);
  return kind != nullptr && kind->grid;
}

const schedule::AlgorithmInfo* algorithm_of(const Config& config) {
  return schedule::find_algorithm(config.collective.algorithm);
}

bool has_tree_placement(const Config& config) {
  const schedule::AlgorithmInfo* const algorithm = algorithm_of(config);
  return algorithm != nullptr && algorithm->has_tree_placement;
}

bool runs_over_dimensions(const Config& config) {
  const schedule::AlgorithmInfo* const algorithm = algorithm_of(config);
  return algorithm != nullptr && algorithm->over_dimensions;
}

bool chooses_algorithm(const Config& config) {
  const schedule::AlgorithmInfo* const algorithm = algorithm_of(config);
  return algorithm != nullptr && algorithm->chooses_algorithm;
}

std::vector<std::string> all_to_all_algorithms() {
  return schedule::algorithms_that(
      [](const auto& info) { return info.chooses_algorithm || info.exchange != nullptr; });
}

std::vector<std::string> algorithms_over_dimensions() {
  return schedule::algorithms_that([](const auto& info) { return info.over_dimensions; });
}

bool has_work(const Config& config) {
  return config.collective != workload::CollectiveSpec{} || config.program != ProgramConfig{} ||
         config.training != TrainingConfig{} || config.inference != InferenceConfig{} ||
         config.routing != RoutingConfig{};
}

bool reads_tables(const Config& config) {
  const schedule::AlgorithmInfo* const algorithm = algorithm_of(config);
  return algorithm != nullptr && algorithm->from_file;
}

Work work_of(const Config& config) {
  const ProgramConfig& program = config.program;
  if (!program.jobs.empty() || !program.file.empty() || !program.trace.empty()) return Work::kProgram;
  if (trains_text_workload(config)) return Work::kText;
  if (trains_large_model(config)) return Work::kLarge;
  if (runs_inference(config)) return Work::kInference;
  if (!config.training.model.empty()) return Work::kLayers;
  const bool whole = config.collective.group.empty() && config.collective.op != CollectiveOp::kAllToAll;
  return whole ? Work::kCollective : Work::kGroup;
}

bool computes_layers(const Config& config) {
  return work_of(config) == Work::kLayers;
}

bool computes_by_size(const Config& config) {
  const Work work = work_of(config);
  return work == Work::kLarge || work == Work::kInference || work == Work::kProgram;
}

bool names_collectives(const Config& config) {
  switch (work_of(config)) {
    case Work::kCollective:
    case Work::kGroup:
    case Work::kLayers:
      return false;
    default:
      return true;
  }
}

bool runs_program(const Config& config) {
  return names_collectives(config) || work_of(config) == Work::kGroup;
}

bool runs_inference(const Config& config) {
  return !config.inference.model.empty();
}

bool trains_large_model(const Config& config) {
  return config.training.large.laid_out;
}

bool trains_text_workload(const Config& config) {
  return config.training.model.ends_with(".txt");
}

std::int64_t count_accelerators(const Config& config) {
  constexpr std::int64_t kMany = std::int64_t{1} << 40;
  const TopologyConfig& topology = config.system.topology;
  const topology::KindInfo* const kind = kind_of(config);
  if (kind == nullptr) return 0;
  if (kind->described_by != DescribedBy::kDimensions) {
    return topology::count_accelerators(kind->kind, topology.dims);
  }
  if (topology.dimensions.empty()) return 0;
  std::int64_t count = 1;
  for (const topology::DimensionSpec& dimension : topology.dimensions) {
    count = std::min(count * dimension.size, kMany);
  }
  return count;
}

}  // namespace coppice::config
