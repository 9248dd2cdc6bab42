#include "workload/text_program.h"

#include <set>

#include <gmock/gmock.h>

#include "base/error.h"
#include "list_scheduler.h"

namespace coppice::workload {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;

TextLayer layer_of(const std::string& name, Parallelism parallelism) {
  TextLayer layer;
  layer.name = name;
  layer.forward = {10 * kNs, {Exchange::kAllGather, 16}};
  layer.input_gradient = {20 * kNs, {Exchange::kReduceScatter, 32}};
  layer.weight_gradient = {30 * kNs, {Exchange::kAllReduce, 64}};
  layer.update = 5 * kNs;
  layer.parallelism = parallelism;
  return layer;
}

TextWorkload workload_of(Parallelism parallelism) {
  TextWorkload workload;
  workload.name = "w";
  workload.parallelism = parallelism;
  workload.layers = {layer_of("a", parallelism), layer_of("b", parallelism)};
  return workload;
}

double time_of(const Operation& /*operation*/, const Compute& compute) {
  return static_cast<double>(compute.duration) / static_cast<double>(kNs);
}

// The groups in which rank 5 of 2 x 4 ranks takes part in collectives of type `op`.
std::set<std::vector<int>> groups_of(const Program& program, CollectiveOp op) {
  std::set<std::vector<int>> groups;
  for (const Operation& operation : program.ranks[5].operations) {
    const auto* join = std::get_if<JoinCollective>(&operation.work);
    if (join == nullptr) continue;
    const GroupCollective& collective = program.collectives[static_cast<std::size_t>(join->collective)];
    if (collective.op == op) groups.insert(program.groups[static_cast<std::size_t>(collective.group)].ranks);
  }
  return groups;
}

Program program_of(const TextWorkload& workload, Overlap overlap = Overlap::kLayerWise) {
  Program program = build_text_program(workload, {2, 4}, AllGatherBytes::kInput, overlap);
  check_program(program);
  return program;
}

TEST(TextProgram, GroupsRanksAccordingToThePolicy) {
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
  const auto groups = [](const TextWorkload& workload) {
    const Program program = program_of(workload);
    return std::pair{*groups_of(program, CollectiveOp::kAllGather).begin(),
                     *groups_of(program, CollectiveOp::kAllReduce).begin()};
  };
  using Both = std::pair<std::vector<int>, std::vector<int>>;
  EXPECT_EQ(groups(workload_of(Parallelism::kData)), Both(all, all));
  EXPECT_EQ(groups(workload_of(Parallelism::kDataThenModel)), Both({4, 5}, {1, 3, 5, 7}));
  EXPECT_EQ(groups(workload_of(Parallelism::kModelThenData)), Both({1, 3, 5, 7}, {4, 5}));
  TextWorkload transformer = workload_of(Parallelism::kTransformer);
  transformer.model_group = 4;
  EXPECT_EQ(groups(transformer), Both({4, 5, 6, 7}, {1, 5}));
}

// Rank 5 of 8 belongs to four kinds of group. Neighbouring ranks share layers; at increasing strides, ranks
// share experts, other weights, and pipeline stages.
TEST(TextProgram, GroupsExpertsLikeSimAi) {
  TextWorkload workload = workload_of(Parallelism::kTransformerRecomputed);
  workload.model_group = 2;
  workload.expert_group = 2;
  workload.accelerators = 8;
  workload.layers[1].forward.communication = {Exchange::kAllToAll, 32, Group::kExpert};
  workload.layers[1].input_gradient.communication = {Exchange::kReduceScatter, 32, Group::kExpertData};
  const auto groups = [&](CollectiveOp op) { return groups_of(program_of(workload), op); };
  EXPECT_THAT(groups(CollectiveOp::kAllGather), ElementsAre(std::vector{4, 5}));
  EXPECT_THAT(groups(CollectiveOp::kAllReduce), ElementsAre(std::vector{1, 3, 5, 7}));
  EXPECT_THAT(groups(CollectiveOp::kAllToAll), ElementsAre(std::vector{5, 7}));
  EXPECT_THAT(groups(CollectiveOp::kReduceScatter), ElementsAre(std::vector{1, 5}, std::vector{4, 5}));
  EXPECT_THAT(program_of(workload).assumptions, ElementsAre(HasSubstr("training.all_gather_bytes: total")));
  workload.pipeline = 2;
  workload.accumulation = 3;
  EXPECT_THAT(groups(CollectiveOp::kAllReduce), ElementsAre(std::vector{5, 7}));
  EXPECT_EQ(program_of(workload).assumptions.size(), 3U);
  // The gradients of experts and of other weights are reduced in separate groups.
  workload.layers[1].weight_gradient.communication.among = Group::kExpertData;
  workload.pipeline = 1;
  EXPECT_THAT(groups_of(program_of(workload, Overlap::kNone), CollectiveOp::kAllReduce),
              ElementsAre(std::vector{1, 3, 5, 7}, std::vector{1, 5}));
}

TEST(TextProgram, GroupsEveryLayerOfACustomizedWorkloadSeparately) {
  TextWorkload workload = workload_of(Parallelism::kCustomized);
  workload.layers[0].parallelism = Parallelism::kDataThenModel;
  workload.layers[1].parallelism = Parallelism::kModelThenData;
  EXPECT_THAT(groups_of(program_of(workload), CollectiveOp::kAllGather),
              ElementsAre(std::vector{1, 3, 5, 7}, std::vector{4, 5}));
}

TEST(TextProgram, CountsAllGathersAsConfigured) {
  const TextWorkload workload = workload_of(Parallelism::kModel);
  EXPECT_EQ(build_text_program(workload, {2, 4}, AllGatherBytes::kInput, Overlap::kNone).collectives[0].bytes,
            128);
  EXPECT_EQ(build_text_program(workload, {2, 4}, AllGatherBytes::kTotal, Overlap::kNone).collectives[0].bytes,
            16);
}

TEST(TextProgram, ReducesTogetherWithoutOverlap) {
  const auto sizes = [](Overlap overlap) {
    std::vector<Bytes> bytes;
    for (const GroupCollective& collective :
         program_of(workload_of(Parallelism::kData), overlap).collectives) {
      if (collective.op == CollectiveOp::kAllReduce) bytes.push_back(collective.bytes);
    }
    return bytes;
  };
  EXPECT_THAT(sizes(Overlap::kNone), ElementsAre(128));
  EXPECT_THAT(sizes(Overlap::kLayerWise), ElementsAre(64, 64));
}

// If communication is free, the program takes as long as the text workload's timeline.
TEST(TextProgram, ComputesEverything) {
  TextWorkload workload = workload_of(Parallelism::kTransformerRecomputed);
  workload.model_group = 2;
  workload.checkpoints = {0};
  workload.recompute_from = {1};
  const auto free = [](const Communication&, Group) { return Femtoseconds{0}; };
  for (const Overlap overlap : {Overlap::kNone, Overlap::kLayerWise}) {
    const Program program = program_of(workload, overlap);
    EXPECT_EQ(ListScheduler(program, time_of).run() * static_cast<double>(kNs),
              static_cast<double>(make_text_timeline(workload, overlap, free).total));
  }
}

TEST(TextProgram, ExchangesEmbeddingsDuringTheBottomMlp) {
  TextWorkload workload = workload_of(Parallelism::kDlrm);
  workload.layers.push_back(layer_of("c", Parallelism::kDlrm));
  workload.last_bottom_layer = 1;
  const Program program = program_of(workload);
  const auto& operations = program.ranks[0].operations;
  const auto at = [&](const std::string& name) {
    return static_cast<std::int32_t>(std::ranges::find(operations, name, &Operation::name) -
                                     operations.begin());
  };
  // The embedding's all-gather follows its computation. The top MLP waits for it, but the bottom MLP does
  // not.
  EXPECT_THAT(operations[static_cast<std::size_t>(at("forward b"))].after, ElementsAre(at("forward a")));
  EXPECT_EQ(operations[static_cast<std::size_t>(at("forward c"))].after.size(), 3U);
}

TEST(TextProgram, RejectsGroupsThatDoNotDivideTheRanks) {
  TextWorkload workload = workload_of(Parallelism::kTransformer);
  workload.model_group = 3;
  EXPECT_THROW(program_of(workload), UnsupportedError);
}

}  // namespace
}  // namespace coppice::workload
