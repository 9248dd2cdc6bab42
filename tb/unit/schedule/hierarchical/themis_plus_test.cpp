#include "schedule/hierarchical/themis_plus.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "schedule/hierarchical/themis.h"
#include "themis_systems.h"

namespace coppice::schedule {
namespace {

constexpr Bytes kMB = 1'000'000;
constexpr Bytes kQuantum = 8192;

TEST(ThemisPlus, IsNeverSlowerThanThemisOrTheBaseline) {
  for (const ThemisSystem& system : themis_systems()) {
    const LatencyModel model(system.dimensions);
    ChunkSimulation simulation(model);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      for (const int count : {1, 4, 64}) {
        const auto chunks = split_into_chunks(100 * kMB, 4, count);
        const auto [plus, policy] = schedule_themis_plus(model, collective, chunks, kQuantum, std::nullopt,
                                                         {.searches = 2, .simulations = 50});
        const Femtoseconds time = simulation.run(plus, policy);
        const auto themis = schedule_themis(model, collective, chunks);
        EXPECT_LE(time, simulation.run(themis, IntraDimension::kSmallestChunkFirst)) << system.name;
        EXPECT_LE(time, simulation.run(themis, policy)) << system.name;
        EXPECT_LE(time, simulation.run(schedule_baseline(model, collective, chunks), policy)) << system.name;
      }
    }
  }
}

// themis_plus reaches 98.5% of the ideal time on systems for which Themis leaves bandwidth unused.
TEST(ThemisPlus, KeepsTheDimensionsBusy) {
  for (const auto& [number, megabytes] : {std::pair{1, 100}, {4, 250}, {5, 100}}) {
    const ThemisSystem system = themis_systems()[static_cast<std::size_t>(number)];
    const LatencyModel model(system.dimensions);
    const Bytes size = megabytes * kMB;
    const auto [plans, policy] = schedule_themis_plus(
        model, Collective::kAllReduce, split_into_chunks(size, 4, 64), kQuantum, std::nullopt, {});
    const auto ideal = static_cast<double>(ideal_time(model, Collective::kAllReduce, size));
    EXPECT_GE(ideal / static_cast<double>(ChunkSimulation(model).run(plans, policy)), 0.985) << system.name;
  }
}

bool any_parts_ways(const ChunkSchedule& schedule) {
  return !std::ranges::all_of(schedule.plans, goes_back);
}

// With two dimensions, some chunks are all-gathered in an order other than the reverse of their
// reduce-scatter. These chunks fill the idle time at the end.
TEST(ThemisPlus, LetsAllGathersUseTheirOwnOrder) {
  constexpr auto kSwitch = topology::DimensionKind::kSwitch;
  const LatencyModel model({dimension_model(kSwitch, 4, 1200, 700), dimension_model(kSwitch, 16, 800, 1700)});
  const Bytes size = 100 * kMB;
  const auto chunks = split_into_chunks(size, 4, 64);
  const auto found = schedule_themis_plus(model, Collective::kAllReduce, chunks, kQuantum, std::nullopt, {});
  EXPECT_TRUE(any_parts_ways(found));
  const auto ideal = static_cast<double>(ideal_time(model, Collective::kAllReduce, size));
  EXPECT_GE(ideal / static_cast<double>(ChunkSimulation(model).run(found.plans, found.intra_dimension)),
            0.995);
  const auto messages = [&](const std::vector<ChunkPlan>& all) {
    std::int64_t sum = 0;
    for (const ChunkPlan& plan : all) {
      for (const ChunkStep& step : chunk_path(model, plan, found.intra_dimension, Grain::kSteps))
        sum += step.messages;
    }
    return sum;
  };
  const auto usual = messages(schedule_themis(model, Collective::kAllReduce, chunks));
  EXPECT_GT(messages(found.plans), usual);
  EXPECT_LE(messages(found.plans), usual + usual / 10);
}

// On these systems of 1,024 accelerators, all accelerators execute a common program. It requires that
// all-gathers reverse the order of the reduce-scatters.
TEST(ThemisPlus, ReversesTheOrderOnLargeSystems) {
  for (const ThemisSystem& system : themis_systems()) {
    const LatencyModel model(system.dimensions);
    EXPECT_FALSE(any_parts_ways(schedule_themis_plus(
        model, Collective::kAllReduce, split_into_chunks(100 * kMB, 4, 64), kQuantum, std::nullopt, {})))
        << system.name;
  }
}

TEST(ThemisPlus, IsTheSameForTheSameSeedAndEffort) {
  const LatencyModel model(themis_systems()[3].dimensions);
  const auto chunks = split_into_chunks(250 * kMB, 4, 64);
  const auto find = [&](std::uint64_t seed) {
    return schedule_themis_plus(model, Collective::kAllReduce, chunks, kQuantum, std::nullopt,
                                {.seed = seed, .searches = 1, .simulations = 300})
        .plans;
  };
  EXPECT_EQ(find(3), find(3));
  EXPECT_NE(find(3), find(4));
}

TEST(ThemisPlus, CoversTheDataInWholePieces) {
  const LatencyModel model(themis_systems()[5].dimensions);
  const auto chunks = split_into_chunks(100 * kMB, 4, 64);
  const auto plus =
      schedule_themis_plus(model, Collective::kAllReduce, chunks, kQuantum,
                           IntraDimension::kSmallestChunkFirst, {.searches = 1, .simulations = 1000})
          .plans;
  Bytes data = 0;
  for (const ChunkPlan& plan : plus) {
    EXPECT_GE(plan.bytes, kQuantum);
    EXPECT_EQ((plan.bytes - chunks.front().bytes) % kQuantum, 0);
    data += plan.bytes;
  }
  EXPECT_EQ(data, 100 * kMB);
}

}  // namespace
}  // namespace coppice::schedule
