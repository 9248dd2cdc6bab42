#include "config/keys/parallel_keys.h"

#include <utility>

#include <fmt/format.h>

#include "config/document/file_name.h"
#include "config/document/values.h"
#include "config/keys/idle_keys.h"
#include "config/keys/key_builders.h"
#include "config/keys/key_groups.h"
#include "config/settings/shape.h"

namespace coppice::config {
namespace {

using workload::ParallelAxis;

constexpr Purposes kRunOnly{Purpose::kRun};
constexpr int kMostWays = 1 << 20;
constexpr int kMostMicroBatches = 1 << 16;
constexpr const char* kBatch = "training.batch_per_accelerator";

// Adds a key whose value is written to results only if a large model is trained.
void add(std::vector<Key>& keys, Key key, const char* summary, const IdleRule& idle = idle_parallel) {
  declare(keys, std::move(key).written_if(trains_large_model), summary, kRunOnly, idle);
}

// Adds a key of the model's layout. If any of these is set, a large model is trained.
void add_layout(std::vector<Key>& keys, Key key, const char* summary) {
  key.read = [read = key.read](const Node& value, Config& config) {
    read(value, config);
    config.training.large.laid_out = true;
  };
  add(keys, std::move(key), summary);
}

Key order_key() {
  static const std::vector<std::string> names{"tensor", "context", "expert", "data", "pipeline"};
  Key key;
  key.path = "training.parallel.order";
  key.form = "a list of tensor, context, expert, data and pipeline, innermost first";
  key.schema = value_schema::list(value_schema::names(names));
  key.read = [path = key.path](const Node& value, Config& config) {
    if (value.kind != Node::Kind::kList) refuse(value, path, "a list of the five axes, innermost first");
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
  const auto ways = [&](auto at, const char* example, const char* summary) {
    add_layout(keys, integer_key(std::move(at), 1, kMostWays).shown_as(example), summary);
  };
  ways(KeyAt(
           "training.parallel.tensor", [](auto& c) -> auto& { return c.training.large.parallel.tensor; }),
       "8", "The number of accelerators that share the heads and the MLP of every layer.");
  ways(KeyAt(
           "training.parallel.pipeline", [](auto& c) -> auto& { return c.training.large.parallel.pipeline; }),
       "4", "The number of pipeline stages of a large model.");
  ways(KeyAt(
           "training.parallel.data", [](auto& c) -> auto& { return c.training.large.parallel.data; }),
       "4",
       "The number of copies of a large model, or of its experts if it has any; each has its own samples.");
  ways(KeyAt(
           "training.parallel.expert", [](auto& c) -> auto& { return c.training.large.parallel.expert; }),
       "8", "The number of accelerators that share the experts of every layer; each has its own samples.");
  ways(KeyAt(
           "training.parallel.context", [](auto& c) -> auto& { return c.training.large.parallel.context; }),
       "2", "The number of accelerators that share the tokens of a sample.");
  add_layout(keys, order_key().shown_as("[tensor, context, expert, data, pipeline]"),
             "The order in which the parallel axes are laid out; ranks along the first axis have consecutive "
             "numbers.");
  add_layout(
      keys,
      flag_key(KeyAt(
                   "training.parallel.sequence",
                   [](auto& c) -> auto& { return c.training.large.sequence_parallel; }))
          .shown_as("true"),
      "Whether tensor-parallel accelerators divide up the tokens in work that each would otherwise repeat.");
}

Key inference_model_key() {
  Key key;
  key.path = "workload.inference.model";
  key.schema = value_schema::text();
  key.example = "llama2_70b";
  key.form = "a transformer listed by 'coppice list', or the path of a description (YAML)";
  key.read = [path = key.path, form = key.form](const Node& value, Config& config) {
    config.inference.model = read_name_or_file(value, path, form);
    if (config.inference.model.empty()) refuse(value, path, form);
  };
  key.write = [](const Config& config) { return Json(config.inference.model); };
  return key;
}

}  // namespace

void add_inference_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key, const char* summary) {
    declare(keys, std::move(key).written_if(runs_inference), summary, kRunOnly, idle_inference);
  };
  const auto count = [&](auto at, const char* example, const char* summary) {
    add(integer_key(std::move(at), 1, kMostWays).shown_as(example), summary);
  };
  add(inference_model_key(),
      "The transformer to serve; the run consists of a prefill of all requests and one decode step.");
  count(KeyAt(
            "workload.inference.batch", [](auto& c) -> auto& { return c.inference.batch; }),
        "8", "The number of requests served together.");
  count(KeyAt(
            "workload.inference.prompt", [](auto& c) -> auto& { return c.inference.prompt; }),
        "1024", "The number of prompt tokens per request, read by the prefill.");
  add(integer_key(KeyAt(
                      "workload.inference.context", [](auto& c) -> auto& { return c.inference.context; }),
                  1, 1 << 28)
          .shown_as("4096")
          .unless_usual(0),
      "The number of tokens per request in the KV cache at the decode step (default: those of the prompt).");
  count(KeyAt(
            "workload.inference.tensor", [](auto& c) -> auto& { return c.inference.tensor; }),
        "8", "The number of accelerators that share every layer.");
  count(KeyAt(
            "workload.inference.pipeline", [](auto& c) -> auto& { return c.inference.pipeline; }),
        "2", "The number of pipeline stages.");
  count(KeyAt(
            "workload.inference.expert", [](auto& c) -> auto& { return c.inference.expert; }),
        "8", "The number of accelerators that share the experts; each has its own requests.");
}

void add_parallel_keys(std::vector<Key>& keys) {
  using workload::ContextExchange;
  using workload::PipelineSchedule;
  using workload::Recomputation;
  add_layout_keys(keys);
  add(keys,
      integer_key(
          KeyAt(
              "training.micro_batches", [](auto& c) -> auto& { return c.training.large.micro_batches; }),
          1, kMostMicroBatches)
          .shown_as("16"),
      "The number of micro-batches per iteration.");
  add(keys,
      enum_key(KeyAt(
                   "training.schedule", [](auto& c) -> auto& { return c.training.large.schedule; }),
               std::vector{PipelineSchedule::kGpipe, PipelineSchedule::kOneForwardOneBackward,
                           PipelineSchedule::kInterleaved}),
      "The pipeline schedule: the order of forward and backward passes.");
  // 0 is not written to results, since it stands for the default of the schedule or, for the next key, of the
  // model.
  add(keys,
      integer_key(KeyAt(
                      "training.interleave", [](auto& c) -> auto& { return c.training.large.interleave; }),
                  1, 1024)
          .shown_as("2")
          .unless_usual(0),
      "The number of layer chunks per accelerator in an interleaved pipeline.");
  add(keys,
      integer_key(KeyAt(
                      "training.sequence", [](auto& c) -> auto& { return c.training.large.sequence; }),
                  1, 1 << 28)
          .shown_as("4096")
          .unless_usual(0),
      "The number of tokens per sample (default: the model's).");
  add(keys,
      integer_key(KeyAt(
                      "training.zero", [](auto& c) -> auto& { return c.training.large.zero; }),
                  0, 3)
          .shown_as("1"),
      "The state that the copies of a model shard: none (0), the optimizer state (1), also gradients (2), "
      "or also weights (3).",
      idle_zero);
  add(keys,
      enum_key(KeyAt(
                   "training.recompute", [](auto& c) -> auto& { return c.training.large.recompute; }),
               std::vector{Recomputation::kNone, Recomputation::kSelective, Recomputation::kFull})
          .shown_as("selective"),
      "The activations that are recomputed for the backward pass instead of being stored.");
  add(keys,
      enum_key(KeyAt(
                   "training.context_exchange",
                   [](auto& c) -> auto& { return c.training.large.context_exchange; }),
               std::vector{ContextExchange::kRing, ContextExchange::kAllGather}),
      "How context parallelism exchanges keys and values: by passing them around a ring, or by gathering "
      "them.",
      idle_exchange);
  add(keys,
      integer_key(KeyAt(
                      "training.iterations", [](auto& c) -> auto& { return c.training.large.iterations; }),
                  1, 1024),
      "The number of iterations to simulate.");
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
    throw ConfigError(
        loaded.place(kBatch),
        fmt::format("{} is {} samples, which cannot be split into {} equal micro-batches: write {}", kBatch,
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
