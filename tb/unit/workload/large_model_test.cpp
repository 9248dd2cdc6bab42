#include "workload/large_model.h"

#include <gmock/gmock.h>

namespace coppice::workload {
namespace {

// The expected dimensions are those of Table 2 of the paper.
TEST(LargeModels, HaveThePapersDimensions) {
  EXPECT_EQ(find_large_model("bloom")->copy(), 48);
  EXPECT_EQ(find_large_model("gpt3")->copy(), 64);
  EXPECT_EQ(find_large_model("llama2_70b")->copy(), 128);
  EXPECT_EQ(find_large_model("palm"), std::nullopt);
}

// Each accelerator has 4 B * 176 billion / 48 of gradients. In a ring of 2, it sends half of them (7.333 GB)
// per round.
TEST(LargeModels, DivideTheGradientsBetweenAccelerators) {
  EXPECT_EQ(find_large_model("bloom")->gradient_bytes(), 14'666'666'668);
  EXPECT_EQ(find_large_model("llama2_70b")->gradient_bytes(), 2'187'500'000);
}

// At peak rate, computation takes 6 * 175e9 * 3.2e6 / (512 * 312e12) = 21.03 s.
TEST(LargeModels, TheComputationTimeFollowsTheBatch) {
  const LargeModel gpt3 = *find_large_model("gpt3");
  EXPECT_NEAR(static_cast<double>(physical_compute(gpt3, 512, 1.0)) / kFemtosecondsPerSecond, 21.03, 0.01);
  EXPECT_EQ(physical_compute(gpt3, 512, 0.5) / kFemtosecondsPerNanosecond,
            2 * physical_compute(gpt3, 512, 1.0) / kFemtosecondsPerNanosecond);
}

}  // namespace
}  // namespace coppice::workload
