#include "system/training/training_run.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/readable_time.h"
#include "system/program/program_run.h"
#include "system/training/training_result.h"

namespace coppice::system {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Json = nlohmann::ordered_json;

// A folder that contains a configuration of a 2x2 torus and a model of three layers.
class TrainingRun : public ::testing::Test {
 protected:
  TrainingRun() : folder_((std::filesystem::temp_directory_path() / "training_XXXXXX").string()) {
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no folder for the test");
    // The layers have 32x32, 32x8 and 1 weights, so two of them fill the arrays only partly.
    std::ofstream(folder_ + "/model.csv") << "first, 1, 1, 1, 1, 32, 32, 1,\n"
                                             "second, 1, 1, 1, 1, 32, 8, 1,\n"
                                             "third, 1, 1, 1, 1, 1, 1, 1,\n";
    std::ofstream(folder_ + "/c.yaml")
        << "system: {topology: {kind: torus, dims: [2, 2]}, accelerator: {split: batch}}\n"
           "collective: {algorithm: ring}\n"
           "training: {model: "
        << folder_ << "/model.csv}\n";
  }
  ~TrainingRun() override { std::filesystem::remove_all(folder_); }

  config::Loaded load(const std::vector<std::string>& overrides = {}) const {
    return config::load(folder_ + "/c.yaml", overrides, config::Purpose::kRun);
  }

  std::string folder_;
};

// The time of an all-reduce of all gradients when accelerators do not compute.
double all_reduce_ns(config::Loaded loaded) {
  loaded.config.training = {};
  loaded.config.collective.size = 4 * (1024 + 256 + 1);
  return run_program(loaded, load_program(loaded), {}).at("time_ns");
}

// Cycles for one sample per PE on 32x32 arrays; a fold of depth K on r rows and c columns takes 2 r + c + K
// - 2. Forward: 2 + 32 + 32 - 2, 2 + 8 + 32 - 2 and 2 + 1 + 1 - 2. Input gradients of the second and third
// layers: 2 + 32 + 8 - 2 and 2. Weight gradients: 64 + 32 + 1 - 2, 64 + 8 + 1 - 2 and 2. Aggregation over 16
// PEs, each rounded up: 64 * 15 / 32, 16 * 15 / 32 and 15 / 32.
constexpr double kForward = 64 + 40 + 2;
constexpr double kBackward = (2 + 1 + 2) + (71 + 8 + 40) + (95 + 30);
// The 16 PEs together update 1,024, 256 and 1 weights. Each PE updates 32 weights per cycle.
constexpr double kUpdate = 2 + 1 + 1;

TEST_F(TrainingRun, DividesTheTimeOfANonOverlappedIteration) {
  const double communication = all_reduce_ns(load());
  const Json result = run_training(load(), {});
  const Json& training = result["training"];
  EXPECT_EQ(training["forward_ns"], kForward);
  EXPECT_EQ(training["backward_ns"], kBackward);
  EXPECT_EQ(training["update_ns"], kUpdate);
  EXPECT_EQ(training["gradient_bytes"], 4 * (1024 + 256 + 1));
  EXPECT_EQ(training["communication_ns"], communication);
  EXPECT_EQ(training["exposed_communication_ns"], communication);
  EXPECT_EQ(training["overlapped_ns"], 0);
  EXPECT_EQ(training["total_ns"], kForward + kBackward + kUpdate + communication);
  EXPECT_EQ(result["time_ns"], training["total_ns"]);
  EXPECT_EQ(result["cycles"], static_cast<Cycles>(training["total_ns"].get<double>()));
  EXPECT_EQ(result["verified"], "values");
  EXPECT_EQ(training["all_reduces"].size(), 1U);
  EXPECT_EQ(result["iterations"].size(), 1U);
}

TEST_F(TrainingRun, ChainsTheForwardPassToTheAllReduce) {
  const std::vector<std::string> whole{"collective.algorithm=tree", "collective.chunks=1",
                                       "system.accelerator.forwarding_cost=0"};
  const double communication = all_reduce_ns(load(whole));
  const auto chained = [&](const char* chunks) {
    return run_training(
        load({"training.overlap=chained", "collective.algorithm=tree", "system.accelerator.forwarding_cost=0",
              std::string("collective.chunks=") + chunks}),
        {});
  };
  // With one chunk, the root has the sums first, but the forward passes of the other accelerators wait until
  // the chunk has reached them.
  const Json one = chained("1");
  EXPECT_EQ(one["training"]["total_ns"], kBackward + communication + kForward + kUpdate);
  EXPECT_EQ(one["training"]["exposed_communication_ns"], communication);
  EXPECT_EQ(one["training"]["overlapped_ns"], 0);
  const Json many = chained("16");
  EXPECT_LT(many["training"]["exposed_communication_ns"], many["training"]["communication_ns"]);
  EXPECT_GT(many["training"]["overlapped_ns"], 0);
  EXPECT_EQ(many["verified"], "values");
}

// Computation and all-reduces are simulated together. With fast links, the backward pass hides all
// all-reduces except the last one.
TEST_F(TrainingRun, SimulatesAllReducesOfLayersDuringComputation) {
  const Json result = run_training(load({"training.overlap=layer_wise"}), {});
  const Json& training = result["training"];
  ASSERT_EQ(training["all_reduces"].size(), 3U);
  // The third layer has a single element, which is padded to one element for each of four accelerators.
  EXPECT_EQ(training["all_reduces"][0]["bytes"], 16);
  EXPECT_EQ(training["layers"][2]["all_reduce_begin_ns"], kForward + 3);
  EXPECT_EQ(training["total_ns"], result["time_ns"]);
  // The first layer's gradients are ready last, so its weights are updated last.
  EXPECT_EQ(training["total_ns"], training["layers"][0]["all_reduce_end_ns"].get<double>() + 2);
  EXPECT_EQ(training["compute_ns"], kForward + kBackward + kUpdate);
  EXPECT_EQ(result["verified"], "values");
  EXPECT_EQ(result["iterations"].size(), 1U);
}

// For each weight, Adam reads and writes two states in addition to the weight, and reads the gradient.
TEST_F(TrainingRun, UpdatesWeightsThroughTheMemory) {
  const auto update = [&](const std::string& optimizer) {
    const Json result = run_training(
        load({"training.optimizer=" + optimizer, "system.accelerator.memory_bandwidth=4 GB/s"}), {});
    return result["training"]["update_ns"].get<double>();
  };
  EXPECT_GE(update("sgd"), 12 * 1281 / 4);
  EXPECT_GE(update("adam"), 28 * 1281 / 4);
  EXPECT_LT(update("adam"), 28 * 1281 / 4 * 1.02);
}

TEST_F(TrainingRun, ReducesNothingWithoutWeights) {
  std::ofstream(folder_ + "/model.csv") << "Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width, "
                                           "Channels, Num Filter, Strides, Kind\n"
                                           "scores, 4, 1, 1, 1, 8, 8, 1, matmul\n";
  for (const char* overlap : {"none", "chained"}) {
    const Json result = run_training(load({std::string("training.overlap=") + overlap}), {});
    EXPECT_EQ(result["training"]["communication_ns"], 0);
    EXPECT_EQ(result["training"]["total_ns"], result["training"]["compute_ns"]);
  }
}

// In a hierarchical all-reduce, messages carry parts of chunks, so the arrival of whole chunks is not known.
TEST_F(TrainingRun, RejectsChainingToPartsOfChunks) {
  const std::vector<std::string> levels{
      "training.overlap=chained",
      "collective.algorithm=hierarchical",
      "collective.chunks=2",
      "system.flit=32 B",
      "system.ni.payload=512 B",
      "system.topology={kind: hierarchy, dimensions: [{kind: ring, size: 3, links: 2, bandwidth: 25 GB/s, "
      "latency: 100 ns}, {kind: switch, size: 4, bandwidth: 25 GB/s, latency: 100 ns}]}"};
  EXPECT_THAT([&] { run_training(load(levels), {}); },
              ThrowsMessage<ConfigError>(HasSubstr("has no chunks that become final individually")));
}

TEST_F(TrainingRun, RefusesOtherCollectives) {
  EXPECT_THAT([&] { run_training(load({"collective.op=all_gather"}), {}); },
              ThrowsMessage<ConfigError>(HasSubstr("training reduces gradients with all_reduce")));
}

TEST_F(TrainingRun, RefusesIterationsThatTakeTooLong) {
  EXPECT_THAT(
      [&] {
        run_training(
            load({"system.accelerator.memory_bandwidth=1 kB/s", "training.batch_per_accelerator=65536"}), {});
      },
      ThrowsMessage<ConfigError>(HasSubstr("9,223 s")));
}

TEST_F(TrainingRun, SummarizesTheBreakdown) {
  const Json result = run_training(load(), {});
  const std::string text = summarize_training(result);
  EXPECT_THAT(text, HasSubstr("training iteration of model by ring on 4 accelerators, 16 samples each"));
  EXPECT_THAT(text, HasSubstr("exposed communication"));
  EXPECT_THAT(text, HasSubstr("  " + readable_time(result["time_ns"].get<double>()) + " in total"));
}

}  // namespace
}  // namespace coppice::system
