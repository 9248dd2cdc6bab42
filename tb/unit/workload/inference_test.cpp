#include "workload/inference.h"

#include <variant>

#include <gmock/gmock.h>

#include "sample_transformers.h"

namespace coppice::workload {
namespace {

using ::testing::HasSubstr;

constexpr int kPrefill = 0;
constexpr int kDecode = 1;

Inference serving(Transformer model, int tensor) {
  Inference inference;
  inference.model = std::move(model);
  inference.tensor = tensor;
  inference.batch = 8;
  inference.prompt = 256;
  inference.context = 1024;
  return inference;
}

// The total work of rank 0 in one iteration.
struct Total {
  int collectives = 0;
  Bytes collective_bytes = 0;
  double operations = 0;
  double memory_bytes = 0;
  int transfers = 0;
};
Total total_of(const Program& program, int iteration, CollectiveOp op = CollectiveOp::kAllReduce) {
  Total total;
  for (const Operation& operation : program.ranks.front().operations) {
    if (operation.iteration != iteration) continue;
    if (const auto* const join = std::get_if<JoinCollective>(&operation.work)) {
      const GroupCollective& collective = program.collectives[static_cast<std::size_t>(join->collective)];
      if (collective.op != op) continue;
      ++total.collectives;
      total.collective_bytes += collective.bytes;
    } else if (const auto* const compute = std::get_if<Compute>(&operation.work)) {
      total.operations += compute->operations;
      total.memory_bytes += compute->bytes;
    } else if (!std::holds_alternative<MemoryAccess>(operation.work)) {
      ++total.transfers;
    }
  }
  return total;
}

// In each of 80 layers, attention and MLP both end with an all-reduce of every token's hidden state of 8192
// bf16 values.
TEST(Inference, ReducesTheHiddenStateTwicePerLayer) {
  const Program program = build_inference(serving(llama2_70b(), 8));
  ASSERT_EQ(program.ranks.size(), 8U);
  const Total decode = total_of(program, kDecode);
  EXPECT_EQ(decode.collectives, 160);
  EXPECT_EQ(decode.collective_bytes, Bytes{160} * 8 * 8192 * 2);
  const Total prefill = total_of(program, kPrefill);
  EXPECT_EQ(prefill.collectives, 160);
  EXPECT_EQ(prefill.collective_bytes, 256 * decode.collective_bytes);
}

// A token takes 2 operations per weight. The prefill also takes a few operations for attention.
TEST(Inference, ComputesTwoOperationsPerWeightAndToken) {
  const Transformer model = llama2_70b();
  const Program program = build_inference(serving(model, 8));
  const auto weights = static_cast<double>(model.layers * model.layer_parameters()) / 8;
  const double prefill = total_of(program, kPrefill).operations;
  EXPECT_GT(prefill, 2 * weights * 8 * 256);
  EXPECT_LT(prefill, 2.1 * weights * 8 * 256);
}

// A decode step reads every weight once, and the cache of every request once.
TEST(Inference, DecodeReadsWeightsAndCache) {
  const Inference inference = serving(llama2_70b(), 8);
  const InferenceMemory kept = inference_memory(inference);
  const double read = total_of(build_inference(inference), kDecode).memory_bytes;
  EXPECT_GT(read, 0.98 * static_cast<double>(kept.total()));
  EXPECT_LT(read, 1.05 * static_cast<double>(kept.total()));
}

// The cache holds keys and values of 128 elements for each of 80 layers and 8 key-value heads, in bf16. Each
// of 8 requests has 1,024 tokens plus the next one.
TEST(Inference, KeepsTheCacheOfEveryToken) {
  const Bytes whole = Bytes{80} * 2 * 8 * 128 * 8 * 1025 * 2;
  EXPECT_EQ(inference_memory(serving(llama2_70b(), 1)).cache, whole);
  EXPECT_EQ(inference_memory(serving(llama2_70b(), 8)).cache, whole / 8);
  EXPECT_EQ(inference_memory(serving(llama2_70b(), 1)).weights, llama2_70b().parameters() * 2);
}

// In every layer, a rank sends each token's hidden state to two experts and later receives the results.
TEST(Inference, ExchangesTokensWithExperts) {
  Inference inference = serving(mixtral(), 1);
  inference.expert = 8;
  const Program program = build_inference(inference);
  const Total decode = total_of(program, kDecode, CollectiveOp::kAllToAll);
  EXPECT_EQ(decode.collectives, 2 * 32);
  EXPECT_EQ(decode.collective_bytes, Bytes{2} * 32 * 1 * 4096 * 2 * 2);
  EXPECT_EQ(total_of(program, kDecode).collectives, 0);
}

// The first of two stages sends the hidden state to the second stage, and receives the tokens from it before
// the next step.
TEST(Inference, StagesPassOnTheHiddenState) {
  Inference inference = serving(llama2_70b(), 2);
  inference.pipeline = 2;
  const Program program = build_inference(inference);
  EXPECT_EQ(total_of(program, kDecode).collectives, 80);
  EXPECT_EQ(total_of(program, kPrefill).transfers, 1);
  EXPECT_EQ(total_of(program, kDecode).transfers, 2);
}

// A stage contains tensor and expert groups. Each of its ranks sends to the rank with the same position in
// the next stage.
TEST(Inference, RanksSendToTheirCounterpartInTheNextStage) {
  Inference inference = serving(mixtral(), 2);
  inference.expert = 2;
  inference.pipeline = 2;
  const Program program = build_inference(inference);
  ASSERT_EQ(program.ranks.size(), 8U);
  ASSERT_FALSE(program.transfers.empty());
  for (const Transfer& transfer : program.transfers) {
    EXPECT_EQ(transfer.source % 4, transfer.destination % 4);
    EXPECT_NE(transfer.source / 4, transfer.destination / 4);
  }
}

TEST(Inference, RejectsWhatCannotBeDivided) {
  const auto refusal = [](const Inference& inference) -> std::string {
    try {
      build_inference(inference);
    } catch (const LayoutError& error) {
      return error.key();
    }
    return "";
  };
  EXPECT_THAT(refusal(serving(llama2_70b(), 7)), HasSubstr("tensor"));
  Inference experts = serving(mixtral(), 1);
  experts.expert = 3;
  EXPECT_THAT(refusal(experts), HasSubstr("expert"));
  Inference requests = serving(mixtral(), 1);
  requests.expert = 8;
  requests.batch = 9;
  EXPECT_THAT(refusal(requests), HasSubstr("batch"));
  Inference stages = serving(llama2_70b(), 1);
  stages.pipeline = 81;
  EXPECT_THAT(refusal(stages), HasSubstr("pipeline"));
}

}  // namespace
}  // namespace coppice::workload
