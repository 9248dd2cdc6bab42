#include "system/training/text_prediction.h"

#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Json = nlohmann::ordered_json;

// Four accelerators on a switch without latency. Each link carries 16 bytes per nanosecond.
class TextPrediction : public ::testing::Test {
 protected:
  TextPrediction() {
    std::ofstream(folder_.file("c.yaml"))
        << "system:\n  topology:\n    kind: hierarchy\n"
           "    dimensions: [{kind: switch, size: 4, bandwidth: 16 GB/s, latency: 0 ns}]\n"
           "collective: {algorithm: hierarchical, chunks: 4}\ntraining: {overlap: none}\n";
  }
  Json predict(const std::string& workload, std::vector<std::string> overrides = {}) const {
    std::ofstream(folder_.file("w.txt")) << workload;
    overrides.push_back("training.model=" + folder_.file("w.txt"));
    return predict_text_training(config::load(folder_.file("c.yaml"), overrides, config::Purpose::kTextRun));
  }

  TemporaryDirectory folder_;
};

// The reduce-scatter and the all-gather each send three quarters of 4,096,000 bytes.
TEST_F(TextPrediction, AddsUpComputationAndWaits) {
  const Json training =
      predict("DATA\n1\nfc -1 1000 NONE 0 2000 NONE 0 3000 ALLREDUCE 4096000 500\n")["training"];
  EXPECT_DOUBLE_EQ(training["forward_ns"], 1000);
  EXPECT_DOUBLE_EQ(training["backward_ns"], 2000 + 3000 + 500);
  EXPECT_DOUBLE_EQ(training["communication_ns"], 2 * 3 * 4'096'000 / 4 / 16);
  EXPECT_DOUBLE_EQ(training["exposed_data_ns"], training["communication_ns"]);
  EXPECT_DOUBLE_EQ(training["exposed_model_ns"], 0);
  EXPECT_DOUBLE_EQ(training["total_ns"], 6500 + 384'000);
  EXPECT_DOUBLE_EQ(training["utilization"], 1);
}

TEST_F(TextPrediction, ReportsFullBandwidthIfNothingIsSent) {
  const Json training = predict("DATA\n1\nfc -1 1000 NONE 0 2000 NONE 0 3000 NONE 0 500\n")["training"];
  EXPECT_DOUBLE_EQ(training["communication_ns"], 0);
  EXPECT_DOUBLE_EQ(training["utilization"], 1);
}

// The second layer's gradients are in flight while the first layer still computes; the first layer's are
// ready only at the end.
TEST_F(TextPrediction, OverlapsGradientsWithComputation) {
  const std::string workload =
      "DATA\n2\na -1 1000 NONE 0 100000 NONE 0 300000 NONE 0 0\n"
      "b -1 1000 NONE 0 2000 NONE 0 3000 ALLREDUCE 4096000 0\n";
  const Json waited = predict(workload)["training"];
  const Json hidden = predict(workload, {"training.overlap=layer_wise"})["training"];
  EXPECT_DOUBLE_EQ(waited["exposed_data_ns"], 384'000);
  EXPECT_DOUBLE_EQ(hidden["exposed_data_ns"], 0);
  EXPECT_DOUBLE_EQ(hidden["communication_ns"], waited["communication_ns"]);
}

// Accelerators that hold parts of the same model wait for each other in every pass.
TEST_F(TextPrediction, WaitsForTheOtherPartsOfAModel) {
  const Json training =
      predict("MODEL\n1\nfc -1 1000 ALLREDUCE 4096000 2000 ALLREDUCE 4096000 3000 NONE 0 0\n")["training"];
  EXPECT_DOUBLE_EQ(training["exposed_model_ns"], 2 * 384'000);
  EXPECT_EQ(training["collectives"].size(), 1U);
  EXPECT_EQ(training["collectives"][0]["count"], 2);
}

TEST_F(TextPrediction, RejectsGroupsThatAreNotDimensions) {
  const std::string workload =
      "HYBRID_TRANSFORMER model_parallel_NPU_group: 3\n1\nfc -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n";
  EXPECT_THAT([&] { predict(workload); },
              ThrowsMessage<ConfigError>(HasSubstr("groups of 3 accelerators do not match the dimensions")));
}

TEST_F(TextPrediction, RejectsAlgorithmsWithoutChunksAndDimensions) {
  const std::string workload = "DATA\n1\nfc -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n";
  EXPECT_THAT([&] { predict(workload, {"collective.algorithm=ring"}); },
              ThrowsMessage<ConfigError>(HasSubstr("write hierarchical")));
}

}  // namespace
}  // namespace coppice::system
