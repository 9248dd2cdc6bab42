#include "system/training/training_program.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace coppice::system {
namespace {

using workload::LayerCost;
using workload::Overlap;

const std::vector<LayerCost>& layers() {
  static const std::vector<LayerCost> all{
      {"a", 10, 20, 30, 100}, {"b", 11, 21, 31, 0}, {"c", 12, 22, 32, 50}, {"d", 13, 23, 33, 2}};
  return all;
}

std::vector<Bytes> sizes(const workload::Program& program) {
  std::vector<Bytes> bytes;
  for (const auto& collective : program.collectives) bytes.push_back(collective.bytes);
  return bytes;
}

TEST(TrainingProgram, ReducesLayersBucketsOrAllGradients) {
  const auto of = [](Overlap overlap, Bytes bucket) {
    const TrainingProgram made = make_training_program(layers(), overlap, bucket, 8, 3);
    workload::check_program(made.program);
    return made;
  };
  EXPECT_EQ(sizes(of(Overlap::kLayerWise, 0).program), (std::vector<Bytes>{8, 50, 100}));
  EXPECT_EQ(of(Overlap::kLayerWise, 0).collective_of, (std::vector<int>{2, -1, 1, 0}));
  EXPECT_EQ(sizes(of(Overlap::kBucketed, 51).program), (std::vector<Bytes>{52, 100}));
  EXPECT_EQ(of(Overlap::kBucketed, 51).collective_of, (std::vector<int>{1, -1, 0, 0}));
  EXPECT_EQ(sizes(of(Overlap::kNone, 0).program), (std::vector<Bytes>{152}));
}

// The forward pass is followed by the backward pass, which has no input gradient for the first layer. The
// reduction of a layer's gradient waits only for the computation of that gradient.
TEST(TrainingProgram, ComputesInOrder) {
  const auto made = make_training_program(layers(), Overlap::kLayerWise, 0, 4, 2);
  ASSERT_EQ(made.program.ranks.size(), 2U);
  const auto& operations = made.program.ranks[1].operations;
  Femtoseconds sum = 0;
  std::int32_t before = -1;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (const auto* compute = std::get_if<workload::Compute>(&operations[i].work)) {
      sum += compute->duration;
      EXPECT_EQ(operations[i].after, before < 0 ? std::vector<std::int32_t>{} : std::vector{before});
      before = static_cast<std::int32_t>(i);
    } else {
      EXPECT_EQ(operations[i].after, std::vector{before});
    }
  }
  EXPECT_EQ(sum, 10 + 11 + 12 + 13 + 30 + 31 + 32 + 33 + 21 + 22 + 23);
  EXPECT_LT(made.program.collectives[0].priority, made.program.collectives[2].priority);
}

// The updates follow the backward pass. Each waits until the bucket that contains its gradients has been
// reduced.
TEST(TrainingProgram, UpdatesWeightsWithReducedGradients) {
  std::vector<LayerCost> costs = layers();
  costs[0].update = 3;
  costs[2].update = 4;
  workload::Model model;
  for (const LayerCost& cost : costs) {
    model.layers.emplace_back();
    model.layers.back().name = cost.name;
  }
  const auto made = make_training_program(costs, Overlap::kLayerWise, 0, 4, 2, &model);
  workload::check_program(made.program);
  EXPECT_EQ(made.program.layers, model.layers);
  const auto& operations = made.program.ranks[0].operations;
  std::int32_t backward_end = -1;
  std::vector<std::string> updates;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto* compute = std::get_if<workload::Compute>(&operations[i].work);
    if (compute == nullptr) continue;
    EXPECT_EQ(costs[static_cast<std::size_t>(compute->layer)].name + " ", operations[i].name.substr(0, 2));
    if (compute->purpose != workload::Purpose::kUpdate) {
      backward_end = static_cast<std::int32_t>(i);
      continue;
    }
    updates.push_back(operations[i].name);
    ASSERT_EQ(operations[i].after.size(), 2U);
    EXPECT_EQ(operations[i].after[0], backward_end);
    const auto& join = operations[static_cast<std::size_t>(operations[i].after[1])];
    EXPECT_EQ(std::get<workload::JoinCollective>(join.work).collective,
              made.collective_of[static_cast<std::size_t>(compute->layer)]);
  }
  EXPECT_EQ(updates, (std::vector<std::string>{"a update", "c update"}));
}

// The backward pass comes first. Then each layer's update and forward pass wait for this layer's gradients
// and for all earlier layers.
TEST(TrainingProgram, ChainsTheForwardPassToTheAllReduce) {
  std::vector<LayerCost> costs = layers();
  costs[2].update = 4;
  const auto made = make_training_program(costs, Overlap::kChained, 0, 4, 2);
  workload::check_program(made.program);
  EXPECT_EQ(sizes(made.program), (std::vector<Bytes>{152}));
  const auto& operations = made.program.ranks[0].operations;
  ASSERT_EQ(made.chain.layers.size(), 4U);
  std::vector<std::string> first;
  std::vector<Bytes> gradients;
  for (const GradientChain::Layer& layer : made.chain.layers) {
    first.push_back(operations[static_cast<std::size_t>(layer.operation)].name);
    gradients.push_back(layer.gradients);
  }
  EXPECT_EQ(first, (std::vector<std::string>{"a forward", "b forward", "c update", "d forward"}));
  EXPECT_EQ(gradients, (std::vector<Bytes>{100, 100, 150, 152}));
  EXPECT_EQ(operations.front().name, "d weight gradient");
  EXPECT_EQ(operations.back().name, "d forward");
  // From the join on, each layer waits only for the previous layer.
  for (std::size_t i = 0; i + 1 < made.chain.layers.size(); ++i) {
    const auto next = static_cast<std::size_t>(made.chain.layers[i + 1].operation);
    EXPECT_EQ(operations[next].after, std::vector{static_cast<std::int32_t>(next) - 1});
  }
  EXPECT_TRUE(make_training_program(costs, Overlap::kNone, 0, 4, 2).chain.layers.empty());
}

}  // namespace
}  // namespace coppice::system
