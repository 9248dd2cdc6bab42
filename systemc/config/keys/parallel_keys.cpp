#include "config/keys/parallel_keys.h"

#include <utility>

#include <fmt/format.h>

#include "config/document/values.h"
#include "config/keys/idle_keys.h"
#include "config/keys/key_builders.h"
#include "config/settings/shape.h"

namespace coppice::config {
namespace {

using workload::ParallelAxis;

constexpr Purposes kRunOnly{Purpose::kRun};
constexpr int kMostWays = 1 << 20;
constexpr int kMostMicroBatches = 1 << 16;
constexpr const char* kBatch = "training.batch_per_accelerator";

// Values are written for large models only; a key of the layout makes a model large.
void add(std::vector<Key>& keys, Key key, const char* example, bool lays_out = false,
         std::string (*idle)(const Config&, const Use&) = idle_parallel) {
  key.example = example;
  key.write = [write = key.write](const Config& config) {
    return trains_large_model(config) ? write(config) : Json();
  };
  if (lays_out) {
    key.read = [read = key.read](const Node& value, Config& config) {
      read(value, config);
      config.training.large.laid_out = true;
    };
  }
  keys.push_back(unless(with(std::move(key), kRunOnly), idle));
}

Key order_key() {
  static const std::vector<std::string> names{"tensor", "context", "expert", "data", "pipeline"};
  Key key;
  key.path = "training.parallel.order";
  key.form = "a list of tensor, context, expert, data and pipeline, the innermost first";
  key.schema = value_schema::list(value_schema::names(names));
  key.read = [path = key.path](const Node& value, Config& config) {
    if (value.kind != Node::Kind::kList) refuse(value, path, "a list of the five axes, the innermost first");
    auto& order = config.training.large.parallel.order;
    order.clear();
    for (const Node& item : value.children) {
      const std::string name = read_name(item, fmt::format("{}[{}]", path, order.size()), names);
      order.push_back(static_cast<ParallelAxis>(std::ranges::find(names, name) - names.begin()));
    }
  };
  key.write = [](const Config& config) {
    Json list = Json::array();
    for (const ParallelAxis axis : config.training.large.parallel.order) list.push_back(to_string(axis));
    return list;
  };
  return key;
}

void add_layout_keys(std::vector<Key>& keys) {
  const auto ways = [&](const char* path, auto field, const char* example) {
    add(keys, integer_key(path, field, 1, kMostWays), example, true);
  };
  ways(
      "training.parallel.tensor", [](auto& c) -> auto& { return c.training.large.parallel.tensor; }, "8");
  ways(
      "training.parallel.pipeline", [](auto& c) -> auto& { return c.training.large.parallel.pipeline; }, "4");
  ways(
      "training.parallel.data", [](auto& c) -> auto& { return c.training.large.parallel.data; }, "4");
  ways(
      "training.parallel.expert", [](auto& c) -> auto& { return c.training.large.parallel.expert; }, "8");
  ways(
      "training.parallel.context", [](auto& c) -> auto& { return c.training.large.parallel.context; }, "2");
  add(keys, order_key(), "[tensor, context, expert, data, pipeline]", true);
  add(keys,
      flag_key(
          "training.parallel.sequence", [](auto& c) -> auto& { return c.training.large.sequence_parallel; }),
      "true", true);
}

// Not written while it is 0, left to the model or the schedule.
Key unless_zero(Key key) {
  key.write = [write = key.write](const Config& config) {
    const Json value = write(config);
    return value == 0 ? Json() : value;
  };
  return key;
}

}  // namespace

void add_inference_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key, const char* example) {
    key.example = example;
    key.write = [write = key.write](const Config& config) {
      return runs_inference(config) ? write(config) : Json();
    };
    keys.push_back(unless(with(std::move(key), kRunOnly), idle_inference));
  };
  Key model;
  model.path = "workload.inference.model";
  model.schema = value_schema::text();
  model.form = "a transformer of 'coppice list', or the path of its description (YAML)";
  model.read = [path = model.path, form = model.form](const Node& value, Config& config) {
    config.inference.model = read_text(value, path, form);
    if (config.inference.model.empty()) refuse(value, path, form);
  };
  model.write = [](const Config& config) { return Json(config.inference.model); };
  add(model, "llama2_70b");
  const auto count = [&](const char* path, auto field, int least, const char* example) {
    add(integer_key(path, field, least, kMostWays), example);
  };
  count(
      "workload.inference.batch", [](auto& c) -> auto& { return c.inference.batch; }, 1, "8");
  count(
      "workload.inference.prompt", [](auto& c) -> auto& { return c.inference.prompt; }, 1, "1024");
  Key context = integer_key(
      "workload.inference.context", [](auto& c) -> auto& { return c.inference.context; }, 1, 1 << 28);
  context.write = [](const Config& config) {
    return config.inference.context == 0 ? Json() : Json(config.inference.context);
  };
  add(context, "4096");
  count(
      "workload.inference.tensor", [](auto& c) -> auto& { return c.inference.tensor; }, 1, "8");
  count(
      "workload.inference.pipeline", [](auto& c) -> auto& { return c.inference.pipeline; }, 1, "2");
  count(
      "workload.inference.expert", [](auto& c) -> auto& { return c.inference.expert; }, 1, "8");
}

void add_parallel_keys(std::vector<Key>& keys) {
  using workload::ContextExchange;
  using workload::PipelineSchedule;
  using workload::Recomputation;
  add_layout_keys(keys);
  add(keys,
      integer_key(
          "training.micro_batches", [](auto& c) -> auto& { return c.training.large.micro_batches; }, 1,
          kMostMicroBatches),
      "16");
  add(keys,
      enum_key<>(
          "training.schedule", [](auto& c) -> auto& { return c.training.large.schedule; },
          std::vector{PipelineSchedule::kGpipe, PipelineSchedule::kOneForwardOneBackward,
                      PipelineSchedule::kInterleaved}),
      "1f1b");
  add(keys,
      unless_zero(integer_key(
          "training.interleave", [](auto& c) -> auto& { return c.training.large.interleave; }, 1, 1024)),
      "2");
  add(keys,
      unless_zero(integer_key(
          "training.sequence", [](auto& c) -> auto& { return c.training.large.sequence; }, 1, 1 << 28)),
      "4096");
  add(keys,
      integer_key(
          "training.zero", [](auto& c) -> auto& { return c.training.large.zero; }, 0, 3),
      "1", false, idle_zero);
  add(keys,
      enum_key<>(
          "training.recompute", [](auto& c) -> auto& { return c.training.large.recompute; },
          std::vector{Recomputation::kNone, Recomputation::kSelective, Recomputation::kFull}),
      "selective");
  add(keys,
      enum_key<>(
          "training.context_exchange", [](auto& c) -> auto& { return c.training.large.context_exchange; },
          std::vector{ContextExchange::kRing, ContextExchange::kAllGather}),
      "ring", false, idle_exchange);
  add(keys,
      integer_key(
          "training.iterations", [](auto& c) -> auto& { return c.training.large.iterations; }, 1, 1024),
      "1");
}

void resolve_parallel_training(Loaded& loaded) {
  if (!trains_large_model(loaded.config)) return;
  TrainingConfig& training = loaded.config.training;
  if (!loaded.places.contains(kBatch)) training.batch_per_accelerator = training.large.micro_batches;
  if (!loaded.places.contains("training.optimizer")) training.optimizer = "adam";
  if (!loaded.places.contains("training.overlap")) training.overlap = workload::Overlap::kBucketed;
}

void check_parallel_training(const Loaded& loaded) {
  if (!trains_large_model(loaded.config)) return;
  const TrainingConfig& training = loaded.config.training;
  const int batches = training.large.micro_batches;
  if (training.batch_per_accelerator % batches != 0) {
    throw ConfigError(loaded.place(kBatch),
                      fmt::format("{} of {} samples cannot be split into {} micro-batches: write {}", kBatch,
                                  training.batch_per_accelerator, batches,
                                  (training.batch_per_accelerator / batches + 1) * batches));
  }
  if (training.overlap == workload::Overlap::kChained) {
    throw ConfigError(
        loaded.place("training.overlap"),
        "training.overlap: chained is not available for large models: write none, layer_wise or bucketed");
  }
}

}  // namespace coppice::config
