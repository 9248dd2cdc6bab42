#include "schedule/hierarchical/chunk_simulation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "machine.h"
#include "schedule/hierarchical/themis.h"
#include "schedule/hierarchical/turn_order.h"
#include "themis_systems.h"

namespace coppice::schedule {
namespace {

constexpr Bytes kData = 256'000'000;

// The operations of a dimension as "chunk.stage start-end" in units of time. Chunks and stages are numbered
// from 1, as in the paper.
std::vector<std::string> timeline(const ChunkSimulation& simulation, std::size_t dimension) {
  std::vector<std::string> lines;
  for (const ChunkOperation& operation : simulation.operations(dimension)) {
    const auto units = [](Femtoseconds t) { return static_cast<double>(t) / static_cast<double>(kUnit); };
    lines.push_back(fmt::format("{}.{} {}-{}", operation.chunk + 1, operation.stage + 1,
                                units(operation.began), units(operation.sent)));
  }
  return lines;
}

// Themis, Fig. 5.a: the second dimension is idle for half of the time.
TEST(ChunkSimulation, RunsTheBaselineOfFigure5InEightUnits) {
  const LatencyModel model = figure_5();
  ChunkSimulation simulation(model, Grain::kOperations);
  const auto plans = schedule_baseline(model, Collective::kAllReduce, split_into_chunks(kData, 4, 4));
  EXPECT_EQ(simulation.run(plans, IntraDimension::kFifo), 8 * kUnit);
  EXPECT_THAT(timeline(simulation, 0), testing::ElementsAre("1.1 0-1", "2.1 1-2", "3.1 2-3", "4.1 3-4",
                                                            "1.4 4-5", "2.4 5-6", "3.4 6-7", "4.4 7-8"));
  EXPECT_THAT(timeline(simulation, 1),
              testing::ElementsAre("1.2 1-1.5", "1.3 1.5-2", "2.2 2-2.5", "2.3 2.5-3", "3.2 3-3.5",
                                   "3.3 3.5-4", "4.2 4-4.5", "4.3 4.5-5"));
}

// Themis, Fig. 5.b: chunk 2 starts in the second dimension, which is therefore never idle.
TEST(ChunkSimulation, RunsThemisInFigure5InSevenUnits) {
  const LatencyModel model = figure_5();
  ChunkSimulation simulation(model, Grain::kOperations);
  const auto plans = schedule_themis(model, Collective::kAllReduce, split_into_chunks(kData, 4, 4));
  EXPECT_EQ(simulation.run(plans, IntraDimension::kSmallestChunkFirst), 7 * kUnit);
  EXPECT_THAT(timeline(simulation, 0),
              testing::ElementsAre("1.1 0-1", "3.1 1-2", "2.2 2-2.25", "2.3 2.25-2.5", "4.1 2.5-3.5",
                                   "1.4 3.5-4.5", "3.4 4.5-5.5", "4.4 5.5-6.5"));
  EXPECT_THAT(timeline(simulation, 1),
              testing::ElementsAre("2.1 0-2", "1.2 2-2.5", "1.3 2.5-3", "3.2 3-3.5", "3.3 3.5-4", "4.2 4-4.5",
                                   "4.3 4.5-5", "2.4 5-7"));
}

// Two chunks share a switch of four: while a step of one chunk is in flight, a step of the other chunk is
// sent.
TEST(ChunkSimulation, InterleavesTheStepsOfOperations) {
  // At 800 Gb/s, a 4-MB chunk sends 2 MB in 20 us and then 1 MB in 10 us. Each step has a latency of 25 us.
  const LatencyModel model({dimension_model(topology::DimensionKind::kSwitch, 4, 800, 25'000)});
  constexpr Femtoseconds kUs = 1000 * kFemtosecondsPerNanosecond;
  const std::vector<ChunkPlan> plans(2, {.bytes = 4'000'000, .reduce_scatter = {0}, .all_gather = {}});
  ChunkSimulation simulation(model);
  // Chunk 1 sends at 0-20 and 45-55 us, and chunk 2 at 20-40 and 65-75 us.
  EXPECT_EQ(simulation.run(plans, IntraDimension::kFifo), (75 + 25) * kUs);
  ASSERT_EQ(simulation.operations(0).size(), 2U);
  EXPECT_EQ(simulation.operations(0)[0].sent, 55 * kUs);
  EXPECT_EQ(simulation.operations(0)[0].complete, 80 * kUs);
  EXPECT_EQ(simulation.operations(0)[1].began, 20 * kUs);
}

// A reducing switch of four. Each 4-MB chunk takes 40 us in each direction, followed by 12.5 us of latency.
// While one chunk goes down, the other goes up.
TEST(ChunkSimulation, SendsUpToReducingSwitchesAndDown) {
  DimensionModel dimension = dimension_model(topology::DimensionKind::kSwitch, 4, 800, 25'000);
  dimension.in_network = true;
  const LatencyModel model({dimension});
  constexpr Femtoseconds kUs = 1000 * kFemtosecondsPerNanosecond;
  const std::vector<ChunkPlan> plans(2, {.bytes = 4'000'000, .reduce_scatter = {0}, .all_gather = {0}});
  ChunkSimulation simulation(model);
  EXPECT_EQ(simulation.run(plans, IntraDimension::kFifo), (40 + 40 + 40) * kUs + 25 * kUs);
  ASSERT_EQ(simulation.operations(0).size(), 2U);
  EXPECT_EQ(simulation.operations(0)[0].complete, (40 + 40 + 25) * kUs);
  EXPECT_EQ(simulation.operations(0)[1].began, 40 * kUs);
  // In a reduce-scatter, each accelerator sends three of four parts up in 30 us and receives one part in 10
  // us.
  const std::vector<ChunkPlan> half(1, {.bytes = 4'000'000, .reduce_scatter = {0}, .all_gather = {}});
  EXPECT_EQ(simulation.run(half, IntraDimension::kFifo), (30 + 10 + 25) * kUs);
  // In an all-gather, each accelerator sends 1 MB up and receives 3 MB from the switch.
  const std::vector<ChunkPlan> other(1, {.bytes = 4'000'000, .reduce_scatter = {}, .all_gather = {0}});
  EXPECT_EQ(simulation.run(other, IntraDimension::kFifo), (10 + 30 + 25) * kUs);
}

TEST(ChunkSimulation, StopsAfterATimeLimit) {
  const LatencyModel model = figure_5();
  ChunkSimulation simulation(model);
  std::vector<ChunkPath> ways;
  for (const ChunkPlan& plan :
       schedule_baseline(model, Collective::kAllReduce, split_into_chunks(kData, 4, 4))) {
    ways.push_back(chunk_path(model, plan, IntraDimension::kFifo, Grain::kSteps));
  }
  const Femtoseconds finish = simulation.run(ways);
  EXPECT_EQ(simulation.run(ways, finish), finish);
  EXPECT_EQ(simulation.operations(1).size(), 8U);
  // The first dimension is never idle, so the simulation knows the finish time at the start and gives up at
  // once.
  EXPECT_EQ(simulation.run(ways, 4 * kUnit), finish);
  EXPECT_TRUE(simulation.operations(1).empty());
}

// A simulation that gives up at a limit returns a time between this limit and its actual finish time.
RC_GTEST_PROP(ChunkSimulation, StopsOnlyIfTheTimeIsLonger, ()) {
  const LatencyModel model = figure_5();
  ChunkSimulation simulation(model);
  std::vector<ChunkPath> ways;
  const auto chunks = split_into_chunks(kData, 4, *rc::gen::inRange(1, 9));
  for (const Chunk& chunk : chunks) {
    const DimensionOrder order = *rc::gen::element(DimensionOrder{0, 1}, DimensionOrder{1, 0});
    const ChunkPlan plan = mirrored_plan(Collective::kAllReduce, chunk.bytes, order);
    ways.push_back(chunk_path(model, plan, IntraDimension::kSmallestChunkFirst, Grain::kSteps));
  }
  const Femtoseconds finish = simulation.run(ways);
  const Femtoseconds give_up = finish / 1000 * *rc::gen::inRange(1, 1200);
  const Femtoseconds stopped = simulation.run(ways, give_up);
  if (finish <= give_up) {
    RC_ASSERT(stopped == finish);
  } else {
    RC_ASSERT(stopped > give_up);
    RC_ASSERT(stopped <= finish);
  }
}

// Simulating the individual steps of each operation also reproduces the times of Fig. 5.
TEST(ChunkSimulation, TakesTheSameTimeStepByStepInFigure5) {
  const LatencyModel model = figure_5();
  const auto chunks = split_into_chunks(kData, 4, 4);
  ChunkSimulation simulation(model);
  const auto units = [&](const std::vector<ChunkPlan>& plans, IntraDimension policy) {
    return static_cast<double>(simulation.run(plans, policy)) / static_cast<double>(kUnit);
  };
  constexpr double kRounding = 1e-9;  // each step's time is rounded
  EXPECT_NEAR(units(schedule_baseline(model, Collective::kAllReduce, chunks), IntraDimension::kFifo), 8,
              kRounding);
  EXPECT_NEAR(
      units(schedule_themis(model, Collective::kAllReduce, chunks), IntraDimension::kSmallestChunkFirst), 7,
      kRounding);
}

TEST(ChunkSimulation, OverlapsTheFixedDelaysOfOperations) {
  // On a switch of two, an operation is one step with a latency of 700 ns. Each 2-MB chunk sends 1 MB in 10
  // us.
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
    // An all-gather may visit the dimensions in an order other than the reverse of the reduce-scatter's.
    std::ranges::next_permutation(plans.back().all_gather);
  }
  const auto policy = *rc::gen::element(IntraDimension::kFifo, IntraDimension::kSmallestChunkFirst);
  const auto grain = *rc::gen::element(Grain::kOperations, Grain::kSteps);
  ChunkSimulation simulation(model, grain);
  const Femtoseconds finish = simulation.run(plans, policy);

  Bytes data = 0;
  for (const ChunkPlan& plan : plans) data += plan.bytes;
  RC_ASSERT(finish > ideal_time(model, collective, data));
  std::vector<std::vector<Femtoseconds>> done(plans.size());  // the end of each [chunk][stage], or -1
  for (std::size_t c = 0; c < plans.size(); ++c) done[c].assign(stages_of(model, plans[c]).size(), -1);
  std::vector<ChunkOperation> all;
  for (std::size_t d = 0; d < model.dimensions(); ++d) {
    Femtoseconds free = 0;
    for (const ChunkOperation& operation : simulation.operations(d)) {
      RC_ASSERT(operation.began >= operation.came);
      // At the granularity of operations, a dimension sends one operation at a time.
      RC_ASSERT(grain == Grain::kSteps || operation.began >= free);
      free = operation.sent;
      Femtoseconds& slot =
          done[static_cast<std::size_t>(operation.chunk)][static_cast<std::size_t>(operation.stage)];
      RC_ASSERT(slot == -1);
      slot = operation.complete;
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

// For the tables, order_turns() must choose the same turns as this simulation.
RC_GTEST_PROP(ChunkSimulation, TakesTheTurnsOfTheTables, ()) {
  const auto systems = themis_systems();
  auto dimensions = systems[*rc::gen::inRange<std::size_t>(0, systems.size())].dimensions;
  for (DimensionModel& dimension : dimensions) {
    dimension.in_network = dimension.kind == topology::DimensionKind::kSwitch && *rc::gen::arbitrary<bool>();
  }
  const LatencyModel model(dimensions);
  const auto policy = *rc::gen::element(IntraDimension::kFifo, IntraDimension::kSmallestChunkFirst,
                                        IntraDimension::kLeastToSendFirst);
  const auto count = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 64));
  const Bytes size = 10'000'000 + 4 * *rc::gen::inRange<Bytes>(0, 10'000'000);
  const auto plans = schedule_themis(model, random_collective(), split_into_chunks(size, 4, count));
  std::vector<ChunkPath> ways;
  std::vector<std::vector<PipelineStep>> pipeline;
  for (const ChunkPlan& plan : plans) {
    ways.push_back(chunk_path(model, plan, policy, Grain::kSteps));
    auto& steps = pipeline.emplace_back();
    for (const ChunkStep& step : ways.back()) {
      const auto d = static_cast<std::size_t>(step.dimension) % model.dimensions();
      steps.push_back({.messages = {{step.dimension, step.transfer}},
                       .latency = model.step_latency(d),
                       .starts_operation = step.begins_stage,
                       .rank = step.rank});
    }
  }
  ChunkSimulation simulation(model);
  simulation.run(ways);
  const auto turns = order_turns(pipeline, 2 * static_cast<int>(model.dimensions()));
  for (std::size_t d = 0; d < model.dimensions(); ++d) {
    std::vector<std::pair<int, int>> tables;
    for (const PipelineTurn& turn : turns[d]) {
      const ChunkStep& step = ways[static_cast<std::size_t>(turn.chunk)][static_cast<std::size_t>(turn.step)];
      if (step.begins_stage) tables.emplace_back(turn.chunk, step.stage);
    }
    std::vector<std::pair<int, int>> simulated;
    for (const ChunkOperation& operation : simulation.operations(d)) {
      simulated.emplace_back(operation.chunk, operation.stage);
    }
    RC_ASSERT(simulated == tables);
  }
}

// Replaying the turns of a simulation reproduces its time; on a slower machine, the same turns take longer.
RC_GTEST_PROP(ChunkSimulation, RunsInTheTurnsOfAnother, ()) {
  const auto systems = themis_systems();
  const auto& dimensions = systems[*rc::gen::inRange<std::size_t>(0, systems.size())].dimensions;
  const LatencyModel model(dimensions);
  const LatencyModel slower(dimensions, 4, {128, 0, kFemtosecondsPerNanosecond, kFemtosecondsPerNanosecond});
  const auto policy = *rc::gen::element(IntraDimension::kFifo, IntraDimension::kSmallestChunkFirst);
  const Bytes size = 10'000'000 + 4 * *rc::gen::inRange<Bytes>(0, 10'000'000);
  const auto plans = schedule_themis(model, random_collective(), split_into_chunks(size, 4, 16));
  std::vector<ChunkPath> ways;
  std::vector<ChunkPath> slow_ways;
  for (const ChunkPlan& plan : plans) {
    ways.push_back(chunk_path(model, plan, policy, Grain::kSteps));
    slow_ways.push_back(chunk_path(slower, plan, policy, Grain::kSteps));
  }
  ChunkSimulation simulation(model);
  const Femtoseconds finish = simulation.run(ways);
  const auto turns = simulation.turns();
  RC_ASSERT(simulation.run_in_turns(ways, turns) == finish);
  RC_ASSERT(ChunkSimulation(slower).run_in_turns(slow_ways, turns) > finish);
}

}  // namespace
}  // namespace coppice::schedule
