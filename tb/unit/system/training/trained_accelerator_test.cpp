#include "system/training/trained_accelerator.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Two layers: a convolution of 8 x 9 inputs with 3 x 3 filters and stride 2, whose last stride is incomplete,
// and a layer of 100 outputs with 640 inputs each.
class TrainedAccelerator : public ::testing::Test {
 protected:
  TrainedAccelerator() {
    std::ofstream(folder_.file("m.csv")) << "conv, 8, 9, 3, 3, 16, 40, 2,\nfc, 1, 1, 1, 1, 640, 100, 1,\n";
    std::ofstream(folder_.file("c.yaml")) << "training: {model: " << folder_.file("m.csv")
                                          << ", batch_per_accelerator: 2}\n"
                                             "system:\n  topology: {kind: torus, dims: [2, 2]}\n"
                                             "collective: {algorithm: ring}\n";
  }
  config::Loaded load(const std::vector<std::string>& overrides = {}) const {
    return config::load(folder_.file("c.yaml"), overrides, config::Purpose::kRun);
  }

  TemporaryDirectory folder_;
};

TEST_F(TrainedAccelerator, CountsOutputsAccordingToItsConvention) {
  const workload::Model model = trained_model(load());
  ASSERT_EQ(model.layers.size(), 2U);
  EXPECT_EQ(model.layers[0].output_height(), 3);
  EXPECT_EQ(model.layers[0].output_width(), 4);
  const workload::Model rounded = trained_model(load({"system.accelerator.convention=scale_sim"}));
  EXPECT_EQ(rounded.layers[0].output_height(), 4);
  EXPECT_EQ(rounded.layers[0].output_width(), 4);
  EXPECT_EQ(rounded.layers[1], [&] {
    workload::Layer layer = model.layers[1];
    layer.round_up = true;
    return layer;
  }());
}

TEST_F(TrainedAccelerator, RejectsAModelThatDoesNotExist) {
  EXPECT_THAT([&] { trained_model(load({"training.model=none.csv"})); },
              ThrowsMessage<ConfigError>(HasSubstr("none.csv")));
}

// The memory holds the weights, gradients and momentum of both layers, the inputs and last outputs of two
// samples, and the PEs' partial sums.
TEST_F(TrainedAccelerator, NeedsMemoryExactToTheByte) {
  const workload::Model model = trained_model(load());
  const Bytes weights = Bytes{4} * (3 * 3 * 16 * 40 + 640 * 100);
  const Bytes activations = Bytes{4} * 2 * (8 * 9 * 16 + 640 + 100);
  const accelerator::Footprint needs = require_memory(load(), model, 1000);
  EXPECT_EQ(needs.weights, weights);
  EXPECT_EQ(needs.gradients, weights);
  EXPECT_EQ(needs.optimizer, weights);
  EXPECT_EQ(needs.activations, activations);
  EXPECT_EQ(needs.partial_sums, 1000);
  EXPECT_EQ(require_memory(load({"training.optimizer=adam"}), model, 0).optimizer, 2 * weights);
  EXPECT_EQ(require_memory(load({"training.optimizer=sgd"}), model, 0).optimizer, 0);
  const auto memory = [&](Bytes bytes) {
    return load({"system.accelerator.memory=" + std::to_string(bytes) + " B"});
  };
  const Bytes all = 3 * weights + activations + 1000;
  EXPECT_NO_THROW(require_memory(memory(all), model, 1000));
  EXPECT_THAT([&] { require_memory(memory(all - 1), model, 1000); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("system.accelerator.memory of "),
                                               HasSubstr("is too small for m with 2 samples"),
                                               HasSubstr("partial sums 1 kB"))));
}

}  // namespace
}  // namespace coppice::system
