#include "system/training/training_run.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "system/training/training_result.h"

namespace coppice::system {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Json = nlohmann::ordered_json;

// A folder with a configuration and a model of three layers on a 2x2 torus.
class TrainingRun : public ::testing::Test {
 protected:
  TrainingRun() : folder_((std::filesystem::temp_directory_path() / "training_XXXXXX").string()) {
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no folder for the test");
    // 128 and 64 and 1 weights of 32 x 32 and partial arrays.
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

// An all-reduce that takes 1000 cycles and one for each byte.
Json affine(const config::Loaded& loaded, const RunOptions&) {
  const Bytes size = loaded.config.collective.size;
  return {{"verified", "values"},
          {"fidelity", "train"},
          {"contention_free", true},
          {"steps", 6},
          {"cycles", 1000 + size},
          {"time_ns", 1000.0 + static_cast<double>(size)},
          {"algbw_gb_s", 1.0},
          {"efficiency", 0.5},
          {"flit_hops", 10},
          {"ni_overhead", {{"entry_bits", size}}},
          {"simulator", {{"wall_s", 0.5}, {"user_s", 0.25}, {"peak_rss_bytes", 100}}}};
}

// One sample per PE on 32x32 arrays, 2 r + c + depth - 2 cycles: forward 2 + 32 + 32 - 2, 2 + 8 + 32 - 2,
// 2 + 1 + 1 - 2; input gradient of second and third 2 + 32 + 8 - 2, 2; weight gradient 64 + 32 + 1 - 2,
// 64 + 8 + 1 - 2, 2. Aggregation over 16 PEs: 64 * 15 / 32, 16 * 15 / 32 rounded up, 15 / 32 rounded up.
constexpr double kForward = 64 + 40 + 2;
constexpr double kBackward = (2 + 1 + 2) + (71 + 8 + 40) + (95 + 30);
// Of 1024, 256 and 1 weights by 16 PEs, 32 of them a cycle.
constexpr double kUpdate = 2 + 1 + 1;

// All wait for the accelerators that forward.
TEST_F(TrainingRun, ForwardingCostsComputation) {
  const auto forwarding = [](const config::Loaded& loaded, const RunOptions& options) {
    Json result = affine(loaded, options);
    result["forwarding"] = {0, 1};
    return result;
  };
  const Json result = run_training(load({"system.accelerator.forwarding_cost=0.5"}), {}, forwarding);
  const Json& training = result["training"];
  constexpr double kCompute = kForward + kBackward + kUpdate;
  EXPECT_EQ(training["total_ns"], 1.5 * kCompute + 6124);
  EXPECT_DOUBLE_EQ(training["normalized_performance"], kCompute / (1.5 * kCompute + 6124));
  EXPECT_DOUBLE_EQ(training["accelerator_performance"][1], kCompute / (1.5 * kCompute + 6124));
  EXPECT_DOUBLE_EQ(training["accelerator_performance"][2], kCompute / (kCompute + 6124));
}

// Backward, then what the all-reduce's run says of the forward pass chained to it.
TEST_F(TrainingRun, ChainsTheForwardPassToTheAllReduce) {
  const auto chained = [](const config::Loaded& loaded, const RunOptions& options) {
    EXPECT_EQ(options.forward_layers.size(), 3U);
    EXPECT_EQ(options.forward_layers[0].gradient_bytes, 4 * 1024);
    EXPECT_EQ(options.forward_layers[2].forward, (2 + 1) * kFemtosecondsPerNanosecond);
    Json result = affine(loaded, options);
    const Json each{{"end_ns", 5000.0}, {"stalled_ns", 0.0}};
    result["gradients"] = {{"forward", {{"end_ns", 5000.0}, {"accelerators", {each, each, each, each}}}}};
    return result;
  };
  const Json result = run_training(load({"training.overlap=chained"}), {}, chained);
  EXPECT_EQ(result["training"]["total_ns"], kBackward + 5000);
  EXPECT_EQ(result["training"]["exposed_communication_ns"], 5000 - kForward - kUpdate);
  EXPECT_EQ(result["training"]["overlapped_ns"], 6124 - (5000 - kForward - kUpdate));
}

TEST_F(TrainingRun, BreaksANonOverlappedIterationDown) {
  const Json result = run_training(load(), {}, affine);
  const Json& training = result["training"];
  EXPECT_EQ(training["forward_ns"], kForward);
  EXPECT_EQ(training["backward_ns"], kBackward);
  EXPECT_EQ(training["update_ns"], kUpdate);
  EXPECT_EQ(training["gradient_bytes"], 4 * (1024 + 256 + 1));
  EXPECT_EQ(training["communication_ns"], 1000 + 5124);
  EXPECT_EQ(training["exposed_communication_ns"], 1000 + 5124);
  EXPECT_EQ(training["overlapped_ns"], 0);
  EXPECT_EQ(training["total_ns"], kForward + kBackward + kUpdate + 6124);
  EXPECT_EQ(result["time_ns"], training["total_ns"]);
  EXPECT_EQ(result["cycles"], static_cast<Cycles>(kForward + kBackward + kUpdate) + 6124);
  EXPECT_EQ(result["verified"], "values");
  EXPECT_EQ(training["all_reduces"].size(), 1U);
}

// What overlaps is simulated whole: with links that are fast enough the backward pass hides all but the last.
TEST_F(TrainingRun, SimulatesLayersAllReducesBesideComputation) {
  const Json result = run_training(load({"training.overlap=layer_wise"}), {});
  const Json& training = result["training"];
  ASSERT_EQ(training["all_reduces"].size(), 3U);
  // The third layer's one element is padded to one for each of four accelerators.
  EXPECT_EQ(training["all_reduces"][0]["bytes"], 16);
  EXPECT_EQ(training["layers"][2]["all_reduce_begin_ns"], kForward + 3);
  EXPECT_EQ(training["total_ns"], result["time_ns"]);
  // The weights of the first layer are updated last, by gradients that come last.
  EXPECT_EQ(training["total_ns"], training["layers"][0]["all_reduce_end_ns"].get<double>() + 2);
  EXPECT_EQ(training["compute_ns"], kForward + kBackward + kUpdate);
  EXPECT_EQ(result["verified"], "values");
  EXPECT_EQ(result["iterations"].size(), 1U);
}

// Adam's two states a weight are read and written besides the weight and its gradient.
TEST_F(TrainingRun, UpdatesByTheOptimizerThroughTheMemory) {
  const auto update = [&](const std::string& optimizer) {
    const Json result = run_training(
        load({"training.optimizer=" + optimizer, "system.accelerator.memory_bandwidth=4 GB/s"}), {}, affine);
    return result["training"]["update_ns"].get<double>();
  };
  EXPECT_GE(update("sgd"), 12 * 1281 / 4);
  EXPECT_GE(update("adam"), 28 * 1281 / 4);
  EXPECT_LT(update("adam"), 28 * 1281 / 4 * 1.02);
}

TEST_F(TrainingRun, ReducesNothingIfNothingIsLearnt) {
  std::ofstream(folder_ + "/model.csv") << "Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width, "
                                           "Channels, Num Filter, Strides, Kind\n"
                                           "scores, 4, 1, 1, 1, 8, 8, 1, matmul\n";
  for (const char* overlap : {"none", "chained"}) {
    const Json result = run_training(load({std::string("training.overlap=") + overlap}), {}, affine);
    EXPECT_EQ(result["training"]["communication_ns"], 0);
    EXPECT_EQ(result["training"]["total_ns"], result["training"]["compute_ns"]);
  }
}

TEST_F(TrainingRun, GivesTheAllReduceTheConfiguredSystem) {
  run_training(load({"system.link.bandwidth=8 GB/s"}), {}, [](const auto& loaded, const auto& options) {
    EXPECT_EQ(loaded.config.system.link.bandwidth.front().bytes_per_second, 8'000'000'000);
    EXPECT_EQ(loaded.config.collective.algorithm, "ring");
    EXPECT_EQ(loaded.config.collective.size, 5124);
    return affine(loaded, options);
  });
}

TEST_F(TrainingRun, PassesOnWhatAnAllReduceThrows) {
  const RunAllReduce deadlock = [](const auto&, const auto&) -> Json {
    throw ModelError("deadlock at cycle 7");
  };
  EXPECT_THAT([&] { run_training(load(), {}, deadlock); },
              ThrowsMessage<ModelError>(HasSubstr("deadlock at cycle 7")));
}

TEST_F(TrainingRun, RefusesOtherCollectives) {
  EXPECT_THAT([&] { run_training(load({"collective.op=all_gather"}), {}, affine); },
              ThrowsMessage<ConfigError>(HasSubstr("training reduces gradients by all_reduce")));
}

TEST_F(TrainingRun, RefusesIterationsThatTakeTooLong) {
  EXPECT_THAT(
      [&] {
        run_training(
            load({"system.accelerator.memory_bandwidth=1 kB/s", "training.batch_per_accelerator=65536"}), {},
            affine);
      },
      ThrowsMessage<ConfigError>(HasSubstr("9,223 s")));
}

TEST_F(TrainingRun, SummarizesTheBreakdown) {
  const std::string text = summarize_training(run_training(load(), {}, affine));
  EXPECT_THAT(text, HasSubstr("training iteration of model by ring on 4 accelerators, 16 samples each"));
  EXPECT_THAT(text, HasSubstr("exposed communication"));
  EXPECT_THAT(text, HasSubstr("6124.0 ns"));
}

}  // namespace
}  // namespace coppice::system
