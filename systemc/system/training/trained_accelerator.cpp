#include "system/training/trained_accelerator.h"

#include <fmt/format.h>

#include "base/error.h"
#include "system/machine/model_files.h"

namespace coppice::system {
namespace {

constexpr const char* kMemory = "system.accelerator.memory";

}  // namespace

workload::Model trained_model(const config::Loaded& loaded) {
  workload::Model model = load_model(loaded);
  if (loaded.config.system.accelerator.convention != "scale_sim") return model;
  for (workload::Layer& layer : model.layers) layer.round_up = true;
  return model;
}

accelerator::Footprint require_memory(const config::Loaded& loaded, const workload::Model& model,
                                      Bytes partial_sums) {
  const config::Config& config = loaded.config;
  const accelerator::Footprint needs = footprint_of(
      model, config.training.batch_per_accelerator, accelerator::find_optimizer(config.training.optimizer),
      partial_sums, accelerator::parse_element_type(config.system.accelerator.operands));
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
