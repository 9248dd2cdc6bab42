#include "schedule/chunk_simulation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "machine.h"
#include "schedule/themis.h"
#include "themis_systems.h"

namespace coppice::schedule {
namespace {

constexpr Bytes kData = 256'000'000;

// "chunk.stage start-end" in units, both counted from 1 as the paper does.
std::vector<std::string> timeline(const ChunkSimulation& simulation, std::size_t dimension) {
  std::vector<std::string> lines;
  for (const ChunkOperation& operation : simulation.operations(dimension)) {
    const auto units = [](Femtoseconds t) { return static_cast<double>(t) / static_cast<double>(kUnit); };
    lines.push_back(fmt::format("{}.{} {}-{}", operation.chunk + 1, operation.stage + 1,
                                units(operation.began), units(operation.sent)));
  }
  return lines;
}

// Themis, Fig. 5.a: the second dimension idles half of the time.
TEST(ChunkSimulation, RunsTheBaselineOfFigure5InEightUnits) {
  const LatencyModel model = figure_5();
  ChunkSimulation simulation(model);
  const auto plans = schedule_baseline(model, Collective::kAllReduce, split_into_chunks(kData, 4, 4));
  EXPECT_EQ(simulation.run(plans, IntraDimension::kFifo), 8 * kUnit);
  EXPECT_THAT(timeline(simulation, 0), testing::ElementsAre("1.1 0-1", "2.1 1-2", "3.1 2-3", "4.1 3-4",
                                                            "1.4 4-5", "2.4 5-6", "3.4 6-7", "4.4 7-8"));
  EXPECT_THAT(timeline(simulation, 1),
              testing::ElementsAre("1.2 1-1.5", "1.3 1.5-2", "2.2 2-2.5", "2.3 2.5-3", "3.2 3-3.5",
                                   "3.3 3.5-4", "4.2 4-4.5", "4.3 4.5-5"));
}

// Themis, Fig. 5.b: the second chunk starts in the second dimension, which is never idle.
TEST(ChunkSimulation, RunsThemisInFigure5InSevenUnits) {
  const LatencyModel model = figure_5();
  ChunkSimulation simulation(model);
  const auto plans = schedule_themis(model, Collective::kAllReduce, split_into_chunks(kData, 4, 4));
  EXPECT_EQ(simulation.run(plans, IntraDimension::kSmallestChunkFirst), 7 * kUnit);
  EXPECT_THAT(timeline(simulation, 0),
              testing::ElementsAre("1.1 0-1", "3.1 1-2", "2.2 2-2.25", "2.3 2.25-2.5", "4.1 2.5-3.5",
                                   "1.4 3.5-4.5", "3.4 4.5-5.5", "4.4 5.5-6.5"));
  EXPECT_THAT(timeline(simulation, 1),
              testing::ElementsAre("2.1 0-2", "1.2 2-2.5", "1.3 2.5-3", "3.2 3-3.5", "3.3 3.5-4", "4.2 4-4.5",
                                   "4.3 4.5-5", "2.4 5-7"));
}

TEST(ChunkSimulation, OverlapsTheFixedDelaysOfOperations) {
  // A switch of two: one step of 700 ns; each chunk of 2 MB sends 1 MB in 10 us.
  const LatencyModel model({dimension_model(topology::DimensionKind::kSwitch, 2, 800, 700)});
  ChunkSimulation simulation(model);
  const std::vector<ChunkPlan> plans(3, {.bytes = 2'000'000, .reduce_scatter = {0}, .all_gather = {}});
  EXPECT_EQ(simulation.run(plans, IntraDimension::kFifo), (3 * 10'000 + 700) * kFemtosecondsPerNanosecond);
}

RC_GTEST_PROP(ChunkSimulation, RunsEveryStageOnceAndInOrder, ()) {
  const auto systems = themis_systems();
  const LatencyModel model(systems[*rc::gen::inRange<std::size_t>(0, systems.size())].dimensions);
  const Collective collective = random_collective();
  std::vector<ChunkPlan> plans;
  for (int c = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 20)); c > 0; --c) {
    DimensionOrder order(model.dimensions());
    std::iota(order.begin(), order.end(), 0);
    for (int turn = *rc::gen::inRange(0, 24); turn > 0; --turn) std::ranges::next_permutation(order);
    const Bytes bytes = 8192 * *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Bytes>(1, 4000));
    plans.push_back(mirrored_plan(collective, bytes, order));
    // Any order of the all-gather is right.
    std::ranges::next_permutation(plans.back().all_gather);
  }
  const auto policy = *rc::gen::element(IntraDimension::kFifo, IntraDimension::kSmallestChunkFirst);
  ChunkSimulation simulation(model);
  const Femtoseconds finish = simulation.run(plans, policy);

  Bytes data = 0;
  for (const ChunkPlan& plan : plans) data += plan.bytes;
  RC_ASSERT(finish > ideal_time(model, collective, data));
  std::vector<std::vector<Femtoseconds>> done(plans.size());  // [chunk][stage]
  for (std::size_t c = 0; c < plans.size(); ++c) done[c].assign(stages_of(model, plans[c]).size(), -1);
  std::vector<ChunkOperation> all;
  for (std::size_t d = 0; d < model.dimensions(); ++d) {
    Femtoseconds free = 0;
    for (const ChunkOperation& operation : simulation.operations(d)) {
      RC_ASSERT(operation.began >= std::max(free, operation.came));
      free = operation.sent;
      Femtoseconds& slot =
          done[static_cast<std::size_t>(operation.chunk)][static_cast<std::size_t>(operation.stage)];
      RC_ASSERT(slot == -1);
      slot = operation.sent + model.fixed_delay(d);
      RC_ASSERT(slot <= finish);
      all.push_back(operation);
    }
  }
  for (const ChunkOperation& operation : all) {
    if (operation.stage == 0) continue;
    RC_ASSERT(operation.came ==
              done[static_cast<std::size_t>(operation.chunk)][static_cast<std::size_t>(operation.stage) - 1]);
  }
  for (const auto& stages : done) RC_ASSERT(std::ranges::count(stages, -1) == 0);
}

}  // namespace
}  // namespace coppice::schedule
