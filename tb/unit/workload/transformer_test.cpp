#include "workload/transformer.h"

#include <gtest/gtest.h>

#include "sample_transformers.h"

namespace coppice::workload {
namespace {

// The counts were published in Brown et al. 2020, Table D.1 (174,600 million), and with the checkpoints of
// LLaMA-2 70B and Mixtral 8x7B.
TEST(Transformer, HasThePublishedParameters) {
  EXPECT_EQ(gpt3().parameters(), 174'604'259'328);
  EXPECT_EQ(llama2_70b().parameters(), 68'976'648'192);
  EXPECT_EQ(mixtral().parameters(), 46'702'792'704);
}

// Narayanan et al. 2021, Sec. 5.1, Eq. 3: if every layer is recomputed, an iteration takes 96 B s l h^2 (1 +
// s / 6h + V / 16lh) operations, otherwise 72 B s l h^2 (1 + s / 6h + V / 12lh).
TEST(Transformer, HasThePublishedNumberOfOperations) {
  const Transformer model = gpt3();
  Slice slice;
  slice.samples = 3;
  slice.sequence = model.sequence;
  const auto passes = [](const PassWork& work) {
    return work.forward.operations + work.input_gradient.operations + work.weight_gradient.operations;
  };
  const double layer = passes(attention_work(model, slice)) + passes(mlp_work(model, slice));
  const double again =
      attention_work(model, slice).forward.operations + mlp_work(model, slice).forward.operations;
  const double output = passes(output_work(model, slice));
  const double b = 3;
  const double s = 2048;
  const double l = 96;
  const double h = 12288;
  const double v = 50257;
  EXPECT_DOUBLE_EQ(96 * layer + output, 72 * b * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h)));
  EXPECT_DOUBLE_EQ(96 * (layer + again) + output,
                   96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h)));
}

TEST(Transformer, DividesAllOperations) {
  Slice whole;
  whole.sequence = 4096;
  Slice part = whole;
  part.tensor = 8;
  part.context = 4;
  const Transformer model = llama2_70b();
  EXPECT_DOUBLE_EQ(32 * attention_work(model, part).forward.operations,
                   attention_work(model, whole).forward.operations);
  EXPECT_DOUBLE_EQ(32 * mlp_work(model, part).weight_gradient.operations,
                   mlp_work(model, whole).weight_gradient.operations);
  EXPECT_DOUBLE_EQ(32 * output_work(model, part).input_gradient.operations,
                   output_work(model, whole).input_gradient.operations);
}

TEST(Transformer, ComputesOnlyTheExpertsOfEachToken) {
  Slice slice;
  slice.sequence = 1024;
  const Transformer model = mixtral();
  const double router = 2.0 * 1024 * 4096 * 8;
  EXPECT_DOUBLE_EQ(mlp_work(model, slice).forward.operations, 2 * 3 * 2.0 * 1024 * 4096 * 14336 + router);
  // Even though a token uses only two experts, the weights of all experts are read.
  EXPECT_GT(mlp_work(model, slice).forward.bytes, 2.0 * 8 * 3 * 4096 * 14336);
}

TEST(Transformer, KeepsAKeyValueHeadOnSeveralAccelerators) {
  const Transformer model = llama2_70b();
  Slice slice;
  slice.tensor = 16;
  EXPECT_EQ(slice.local_key_value_heads(model), 1);
  EXPECT_EQ(local_attention_parameters(model, slice), 8192 * (2 * 4 * 128 + 2 * 128) + 2 * 8192);
}

TEST(Transformer, DividesWeightsCompletely) {
  const Transformer model = mixtral();
  Slice slice;
  slice.tensor = 8;
  slice.expert = 4;
  const std::int64_t copied = model.router_parameters() + 2 * model.normalization_parameters();
  EXPECT_EQ(8 * (local_attention_parameters(model, slice) - copied), model.attention_parameters());
  EXPECT_EQ(32 * local_expert_parameters(model, slice), 8 * model.expert_parameters());
  EXPECT_EQ(8 * local_embedding_parameters(model, slice), model.embedding_parameters());
}

}  // namespace
}  // namespace coppice::workload
