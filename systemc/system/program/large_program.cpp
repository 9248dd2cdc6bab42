#include "system/program/large_program.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accelerator/footprint.h"
#include "config/document/nearest.h"
#include "config/files/transformer_file.h"
#include "config/settings/shape.h"
#include "system/machine/build.h"
#include "system/machine/model_files.h"
#include "workload/inference.h"

namespace coppice::system {
namespace {

constexpr const char* kModel = "training.model";
constexpr const char* kServed = "workload.inference.model";
constexpr const char* kExtension = ".yaml";

std::string description_of(const config::Loaded& loaded, const std::string& model, const char* key) {
  const bool is_path = model.find('/') != std::string::npos || model.ends_with(kExtension);
  const std::filesystem::path path =
      is_path ? std::filesystem::path(model) : std::filesystem::path(model_folder()) / (model + kExtension);
  std::error_code none;
  if (std::filesystem::exists(path, none)) return path.string();
  const std::vector<std::string> known = known_transformers();
  throw ConfigError(loaded.place(key),
                    fmt::format("{}: unknown transformer '{}'; did you mean '{}'? Known transformers are {}; "
                                "or write the path of a description (YAML)",
                                key, model, config::nearest(model, known), fmt::join(known, ", ")));
}

// Calls `build` and rethrows an error in the layout of the model as a ConfigError at the responsible key.
template <typename Build>
auto located(const config::Loaded& loaded, Build build) {
  try {
    return build();
  } catch (const workload::LayoutError& error) {
    throw ConfigError(loaded.place(error.key()), fmt::format("{}: {}", error.key(), error.what()));
  }
}

void require_accelerators(const config::Loaded& loaded, int ranks, const char* key) {
  const int accelerators = build_topology(loaded).num_accelerators();
  if (ranks <= accelerators) return;
  throw ConfigError(loaded.place(key),
                    fmt::format("{} lays the model out on {} accelerators, but the system has {}", key, ranks,
                                accelerators));
}

void require_memory(const config::Loaded& loaded, const workload::LargeTraining& training) {
  const auto memory = loaded.config.system.accelerator.memory;
  if (!memory) return;
  for (int stage = 0; stage < training.parallel.pipeline; ++stage) {
    const workload::TrainingMemory kept = training_memory(training, stage);
    if (kept.total() <= *memory) continue;
    throw ConfigError(loaded.place("system.accelerator.memory"),
                      fmt::format("system.accelerator.memory of {} is too small for pipeline rank {}: "
                                  "weights {}, gradients {}, optimizer {} and activations {} need {}",
                                  format_bytes(*memory), stage, format_bytes(kept.weights),
                                  format_bytes(kept.gradients), format_bytes(kept.optimizer),
                                  format_bytes(kept.activations), format_bytes(kept.total())));
  }
}

}  // namespace

std::vector<std::string> known_transformers() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(model_folder(), none)) {
    if (entry.path().extension() == kExtension) names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

workload::LargeTraining large_training_of(const config::Loaded& loaded) {
  const config::TrainingConfig& config = loaded.config.training;
  const config::LargeTrainingConfig& large = config.large;
  workload::LargeTraining training;
  training.model = config::read_transformer(description_of(loaded, config.model, kModel));
  training.parallel = large.parallel;
  training.sequence_parallel = large.sequence_parallel;
  training.micro_batches = large.micro_batches;
  training.micro_batch = config.batch_per_accelerator / large.micro_batches;
  training.sequence = large.sequence == 0 ? training.model.sequence : large.sequence;
  training.schedule = large.schedule;
  const bool interleaved = large.schedule == workload::PipelineSchedule::kInterleaved;
  training.chunks = large.interleave == 0 ? (interleaved ? 2 : 1) : large.interleave;
  training.zero = large.zero;
  training.recompute = large.recompute;
  training.context_exchange = large.context_exchange;
  training.overlap = config.overlap != workload::Overlap::kNone;
  training.bucket = config.overlap == workload::Overlap::kLayerWise ? 0 : config.bucket;
  training.optimizer_states = accelerator::find_optimizer(config.optimizer).states;
  training.iterations = large.iterations;
  located(loaded, [&] {
    check_training(training);
    return 0;
  });
  return training;
}

namespace {

// Returns the training if there are enough accelerators and their memories are large enough; otherwise
// throws.
workload::LargeTraining fitting_training(const config::Loaded& loaded) {
  workload::LargeTraining training = large_training_of(loaded);
  require_accelerators(loaded, training.parallel.ranks(), "training.parallel");
  require_memory(loaded, training);
  return training;
}

}  // namespace

workload::Program load_large_program(const config::Loaded& loaded) {
  const workload::LargeTraining training = fitting_training(loaded);
  return located(loaded, [&] { return build_large_training(training); });
}

workload::ReplicatedProgram load_large_copies(const config::Loaded& loaded) {
  const workload::LargeTraining training = fitting_training(loaded);
  return located(loaded, [&] { return build_replicated_training(training); });
}

workload::Program load_inference(const config::Loaded& loaded) {
  const config::InferenceConfig& config = loaded.config.inference;
  const workload::Inference inference{
      .model = config::read_transformer(description_of(loaded, config.model, kServed)),
      .tensor = config.tensor,
      .expert = config.expert,
      .pipeline = config.pipeline,
      .batch = config.batch,
      .prompt = config.prompt,
      .context = config.context == 0 ? config.prompt : config.context};
  require_accelerators(loaded, inference.ranks(), "workload.inference");
  return located(loaded, [&] {
    check_inference(inference);
    const workload::InferenceMemory kept = inference_memory(inference);
    const auto memory = loaded.config.system.accelerator.memory;
    if (memory && kept.total() > *memory) {
      throw ConfigError(
          loaded.place("system.accelerator.memory"),
          fmt::format(
              "system.accelerator.memory of {} is too small: weights of {} and a KV cache of {} need {}",
              format_bytes(*memory), format_bytes(kept.weights), format_bytes(kept.cache),
              format_bytes(kept.total())));
    }
    return build_inference(inference);
  });
}

void add_inference(nlohmann::ordered_json& result, const config::Config& config) {
  if (!config::runs_inference(config)) return;
  const auto& iterations = result["iterations"];
  const auto time = [&](std::size_t pass, const char* part) { return iterations[pass][part].get<double>(); };
  result["inference"] = {{"time_to_first_token_ns", time(0, "time_ns")},
                         {"time_per_token_ns", time(1, "time_ns")},
                         {"exposed_per_token_ns", time(1, "exposed_ns")},
                         {"tokens_per_s", config.inference.batch * 1e9 / time(1, "time_ns")}};
}

}  // namespace coppice::system
