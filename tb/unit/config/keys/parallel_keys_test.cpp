#include "config/keys/parallel_keys.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "config/effects.h"
#include "config/loader.h"
#include "config/settings/shape.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kSystem =
    "system: {topology: {kind: torus, dims: [4, 4]}}\ncollective: {algorithm: ring}\n";

Loaded load_text(const std::string& training) {
  const ScratchFile file(kSystem + training);
  return load(file.path(), {}, Purpose::kRun);
}

std::string complaint(const std::string& training) {
  try {
    load_text(training);
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    return text.substr(text.find(".yaml") + 5);
  }
  return "";
}

TEST(ParallelKeys, DistributeALargeModel) {
  const Loaded loaded = load_text(
      "training:\n  model: llama2_70b\n  parallel: {tensor: 8, pipeline: 2, sequence: true, order: "
      "[pipeline, "
      "tensor, data, expert, context]}\n  micro_batches: 4\n  schedule: gpipe\n  zero: 2\n  recompute: full\n"
      "  sequence: 1024\n");
  const LargeTrainingConfig& large = loaded.config.training.large;
  EXPECT_TRUE(trains_large_model(loaded.config));
  EXPECT_TRUE(runs_program(loaded.config));
  EXPECT_EQ(large.parallel.tensor, 8);
  EXPECT_EQ(large.parallel.pipeline, 2);
  EXPECT_EQ(large.parallel.data, 1);
  EXPECT_TRUE(large.sequence_parallel);
  using enum workload::ParallelAxis;
  EXPECT_THAT(large.parallel.order, ElementsAre(kPipeline, kTensor, kData, kExpert, kContext));
  EXPECT_EQ(large.schedule, workload::PipelineSchedule::kGpipe);
  EXPECT_EQ(large.zero, 2);
  EXPECT_EQ(large.sequence, 1024);
}

TEST(ParallelKeys, HaveDefaultsForLargeModels) {
  const Loaded loaded = load_text("training: {model: llama2_70b, micro_batches: 6, parallel: {data: 2}}\n");
  EXPECT_EQ(loaded.config.training.batch_per_accelerator, 6);
  EXPECT_EQ(loaded.config.training.optimizer, "adam");
  EXPECT_EQ(loaded.config.training.overlap, workload::Overlap::kBucketed);
  const Loaded small = load_text("training: {model: resnet50}\n");
  EXPECT_EQ(small.config.training.batch_per_accelerator, 16);
  EXPECT_EQ(small.config.training.optimizer, "momentum");
  EXPECT_FALSE(runs_program(small.config));
}

TEST(ParallelKeys, AreWrittenAsTheyWereRead) {
  const Loaded loaded = load_text(
      "training: {model: m.yaml, parallel: {tensor: 2, context: 2}, micro_batches: 2, interleave: 3, "
      "schedule: "
      "interleaved, context_exchange: all_gather, iterations: 2}\n");
  const ScratchFile again(to_json(loaded.config).dump());
  EXPECT_EQ(load(again.path(), {}, Purpose::kRun).config, loaded.config);
  EXPECT_FALSE(to_json(load_text("training: {model: resnet50}\n").config)["training"].contains("parallel"));
}

TEST(ParallelKeys, ReportInvalidCombinations) {
  EXPECT_THAT(complaint("training: {model: m, parallel: {tensor: 0}}\n"),
              HasSubstr(":3:41: training.parallel.tensor"));
  EXPECT_THAT(complaint("training: {model: m, parallel: {order: [tensor, tensors]}}\n"),
              HasSubstr("training.parallel.order[1]"));
  EXPECT_THAT(
      complaint("training: {model: m, parallel: {data: 2}, micro_batches: 4, batch_per_accelerator: 6}\n"),
      HasSubstr("6 samples, which cannot be split into 4 equal micro-batches: write 8"));
  EXPECT_THAT(complaint("training: {model: m, parallel: {data: 2}, overlap: chained}\n"),
              HasSubstr("chained is not available"));
  EXPECT_THAT(complaint("training: {model: m, parallel: {date: 2}}\n"), HasSubstr("training.parallel.data"));
}

TEST(ParallelKeys, WarnIfNoModelIsDistributed) {
  const Loaded loaded = load_text("training: {model: resnet50, zero: 1}\n");
  EXPECT_THAT(ineffective_keys(loaded, Purpose::kRun),
              ElementsAre(HasSubstr("training.zero has no effect: training.parallel is not set")));
  EXPECT_THAT(
      ineffective_keys(load_text("training: {model: m, zero: 1, parallel: {data: 2}}\n"), Purpose::kRun),
      IsEmpty());
}

}  // namespace
}  // namespace coppice::config
