#include "schedule/themis_plus.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "schedule/themis.h"
#include "themis_systems.h"

namespace coppice::schedule {
namespace {

constexpr Bytes kMB = 1'000'000;
constexpr Bytes kQuantum = 8192;
constexpr IntraDimension kPolicy = IntraDimension::kSmallestChunkFirst;

TEST(ThemisPlus, IsNowhereSlowerThanThemisOrTheBaseline) {
  for (const ThemisSystem& system : themis_systems()) {
    const LatencyModel model(system.dimensions);
    ChunkSimulation simulation(model);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      for (const int count : {1, 4, 64}) {
        const auto chunks = split_into_chunks(100 * kMB, 4, count);
        const auto plus = schedule_themis_plus(model, collective, chunks, kQuantum, {.simulations = 300});
        const Femtoseconds time = simulation.run(plus, kPolicy);
        EXPECT_LE(time, simulation.run(schedule_themis(model, collective, chunks), kPolicy)) << system.name;
        EXPECT_LE(time, simulation.run(schedule_baseline(model, collective, chunks), kPolicy)) << system.name;
      }
    }
  }
}

// 4D-Ring_FC_Ring_SW at 100 MB is the hardest of the paper's systems and sizes: Themis leaves a tenth.
TEST(ThemisPlus, KeepsTheDimensionsBusy) {
  for (const ThemisSystem& system : {themis_systems()[1], themis_systems()[5]}) {
    const LatencyModel model(system.dimensions);
    ChunkSimulation simulation(model);
    const auto plus = schedule_themis_plus(model, Collective::kAllReduce, split_into_chunks(100 * kMB, 4, 64),
                                           kQuantum, {});
    const auto ideal = static_cast<double>(ideal_time(model, Collective::kAllReduce, 100 * kMB));
    EXPECT_GE(ideal / static_cast<double>(simulation.run(plus, kPolicy)), 0.97) << system.name;
  }
}

TEST(ThemisPlus, FindsTheSameForTheSameSeedAndEffort) {
  const LatencyModel model(themis_systems()[3].dimensions);
  const auto chunks = split_into_chunks(250 * kMB, 4, 64);
  const auto find = [&](std::uint64_t seed) {
    return schedule_themis_plus(model, Collective::kAllReduce, chunks, kQuantum,
                                {.seed = seed, .simulations = 500});
  };
  EXPECT_EQ(find(3), find(3));
  EXPECT_NE(find(3), find(4));
}

TEST(ThemisPlus, CoversTheDataInWholePieces) {
  const LatencyModel model(themis_systems()[5].dimensions);
  const auto chunks = split_into_chunks(100 * kMB, 4, 64);
  const auto plus =
      schedule_themis_plus(model, Collective::kAllReduce, chunks, kQuantum, {.simulations = 3000});
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
