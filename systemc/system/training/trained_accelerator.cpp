#include "system/training/trained_accelerator.h"

#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.h"
#include "system/machine/model_files.h"

namespace coppice::system {
namespace {

constexpr const char* kMemory = "system.accelerator.memory";

accelerator::AcceleratorSpec spec_of(const config::AcceleratorConfig& config) {
  accelerator::AcceleratorSpec spec;
  spec.pes = config.pes;
  spec.array = {config.array.at(0), config.array.at(1), accelerator::parse_dataflow(config.dataflow),
                accelerator::parse_convention(config.convention)};
  spec.clock = config.clock;
  spec.memory_bandwidth = config.memory_bandwidth;
  spec.split = accelerator::parse_split(config.split);
  spec.buffers = {config.buffers.input, config.buffers.weight, config.buffers.output};
  spec.tiling = accelerator::parse_tiling(config.tiling);
  spec.timing = accelerator::parse_timing(config.timing);
  return spec;
}

}  // namespace

workload::Model trained_model(const config::Loaded& loaded) {
  workload::Model model = load_model(loaded);
  for (const std::string& warning : model.warnings) fmt::print(stderr, "{}\n", warning);
  if (loaded.config.system.accelerator.convention != "scale_sim") return model;
  for (workload::Layer& layer : model.layers) layer.round_up = true;
  return model;
}

accelerator::Accelerator make_accelerator(const config::Loaded& loaded) {
  try {
    return accelerator::Accelerator(spec_of(loaded.config.system.accelerator));
  } catch (const std::invalid_argument& error) {
    constexpr const char* kTiming = "system.accelerator.timing";
    throw ConfigError(loaded.place(kTiming), fmt::format("{}: {}: write formula", kTiming, error.what()));
  }
}

accelerator::Footprint require_memory(const config::Loaded& loaded, const workload::Model& model,
                                      Bytes partial_sums) {
  const config::Config& config = loaded.config;
  const accelerator::Footprint needs =
      footprint_of(model, config.training.batch_per_accelerator,
                   accelerator::find_optimizer(config.training.optimizer), partial_sums);
  const auto& memory = config.system.accelerator.memory;
  if (!memory || needs.total() <= *memory) return needs;
  throw ConfigError(
      loaded.place(kMemory),
      fmt::format("{} of {} is too small for {} with {} samples, which needs {}: weights {}, gradients {}, "
                  "optimizer {}, activations {}, partial sums {}",
                  kMemory, format_bytes(*memory), model.name, config.training.batch_per_accelerator,
                  format_bytes(needs.total()), format_bytes(needs.weights), format_bytes(needs.gradients),
                  format_bytes(needs.optimizer), format_bytes(needs.activations),
                  format_bytes(needs.partial_sums)));
}

}  // namespace coppice::system
