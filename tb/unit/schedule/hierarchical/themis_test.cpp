#include "schedule/hierarchical/themis.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "schedule/hierarchical/chunk_prediction.h"
#include "themis_systems.h"

namespace coppice::schedule {
namespace {

using testing::ElementsAre;

constexpr Bytes kMB = 1'000'000;

std::vector<double> units(const DimLoadTracker& tracker) {
  std::vector<double> loads;
  for (const Femtoseconds load : tracker.loads()) {
    loads.push_back(static_cast<double>(load) / static_cast<double>(kUnit));
  }
  return loads;
}

// The example of Themis, Fig. 7, steps b to e.
TEST(Themis, BalancesTheLoadsOfFigure7) {
  const LatencyModel model = figure_5();
  const auto plans = schedule_themis(model, Collective::kAllReduce, split_into_chunks(256 * kMB, 4, 4));
  std::vector<DimensionOrder> orders;
  std::vector<std::vector<double>> loads;
  DimLoadTracker tracker(model);
  tracker.reset(Collective::kAllReduce);
  for (const ChunkPlan& plan : plans) {
    orders.push_back(plan.reduce_scatter);
    tracker.update(plan);
    loads.push_back(units(tracker));
  }
  EXPECT_THAT(orders,
              ElementsAre(ElementsAre(0, 1), ElementsAre(1, 0), ElementsAre(0, 1), ElementsAre(0, 1)));
  EXPECT_THAT(loads,
              ElementsAre(ElementsAre(2, 1), ElementsAre(2.5, 5), ElementsAre(4.5, 6), ElementsAre(6.5, 7)));
}

TEST(Themis, TheBaselineHasUnequalLoadsInFigure7) {
  const LatencyModel model = figure_5();
  DimLoadTracker tracker(model);
  tracker.reset(Collective::kAllReduce);
  for (const ChunkPlan& plan :
       schedule_baseline(model, Collective::kAllReduce, split_into_chunks(256 * kMB, 4, 4))) {
    tracker.update(plan);
  }
  EXPECT_THAT(units(tracker), ElementsAre(8, 4));
}

TEST(Themis, StartsFromTheFixedDelaysOfTheCollective) {
  const LatencyModel model({dimension_model(topology::DimensionKind::kRing, 4, 800, 20),
                            dimension_model(topology::DimensionKind::kSwitch, 8, 800, 700)});
  DimLoadTracker tracker(model);
  tracker.reset(Collective::kReduceScatter);
  EXPECT_THAT(tracker.loads(), ElementsAre(60'000'000, 2'100'000'000));
  tracker.reset(Collective::kAllReduce);
  EXPECT_THAT(tracker.loads(), ElementsAre(120'000'000, 4'200'000'000));
}

// Sec. 4.2, lines 19 and 20: Themis deviates from the baseline only if the loads differ by at least the time
// of a 16th of a chunk.
TEST(Themis, KeepsTheBaselineBelowTheThreshold) {
  // The fixed delays of the dimensions are 2 * 700 ns and 2 * 500 ns, so they differ by 400 ns. For a chunk
  // of 16 c bytes, the threshold is the time to send c / 2 bytes at 100 GB/s.
  const LatencyModel model({dimension_model(topology::DimensionKind::kSwitch, 2, 800, 700),
                            dimension_model(topology::DimensionKind::kSwitch, 2, 800, 500)});
  const auto first_order = [&](Bytes chunk) {
    return schedule_themis(model, Collective::kAllReduce, split_into_chunks(chunk, 4, 1))[0].reduce_scatter;
  };
  EXPECT_THAT(first_order(16 * 80'000), ElementsAre(1, 0));
  EXPECT_THAT(first_order(16 * 80'032), ElementsAre(0, 1));
}

TEST(Themis, AllGathersFromTheMostLoadedDimension) {
  const LatencyModel model = figure_5();
  const auto chunks = split_into_chunks(256 * kMB, 4, 4);
  const auto gathers = schedule_themis(model, Collective::kAllGather, chunks);
  const auto reductions = schedule_themis(model, Collective::kReduceScatter, chunks);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    EXPECT_TRUE(gathers[c].reduce_scatter.empty());
    EXPECT_TRUE(reductions[c].all_gather.empty());
    EXPECT_TRUE(std::ranges::equal(gathers[c].all_gather.rbegin(), gathers[c].all_gather.rend(),
                                   reductions[c].reduce_scatter.begin(), reductions[c].reduce_scatter.end()));
  }
}

// Reproduces the utilization in Sec. 6.1 of the paper, for the systems of Table 2 and ten sizes in the
// paper's range.
TEST(Themis, ReachesTheUtilizationOfThePaper) {
  double baseline = 0;
  double fifo = 0;
  double smallest_first = 0;
  double fifo_speedup = 0;
  double speedup = 0;
  double most = 0;
  int runs = 0;
  for (const ThemisSystem& system : themis_systems()) {
    const LatencyModel model(system.dimensions);
    ChunkSimulation simulation(model);
    for (Bytes size = 100 * kMB; size <= 1000 * kMB; size += 100 * kMB) {
      const auto chunks = split_into_chunks(size, 4, 64);
      const auto ideal = static_cast<double>(ideal_time(model, Collective::kAllReduce, size));
      const auto plain = schedule_baseline(model, Collective::kAllReduce, chunks);
      const auto themis = schedule_themis(model, Collective::kAllReduce, chunks);
      const auto time = [&](const std::vector<ChunkPlan>& plans, IntraDimension policy) {
        return static_cast<double>(simulation.run(plans, policy));
      };
      const double slow = time(plain, IntraDimension::kFifo);
      const double middle = time(themis, IntraDimension::kFifo);
      const double quick = time(themis, IntraDimension::kSmallestChunkFirst);
      baseline += ideal / slow;
      fifo += ideal / middle;
      smallest_first += ideal / quick;
      fifo_speedup += slow / middle;
      speedup += slow / quick;
      most = std::max(most, slow / quick);
      ++runs;
    }
  }
  EXPECT_NEAR(baseline / runs, 0.563, 0.015);
  EXPECT_NEAR(fifo / runs, 0.877, 0.03);
  EXPECT_NEAR(smallest_first / runs, 0.951, 0.015);
  EXPECT_NEAR(fifo_speedup / runs, 1.58, 0.06);
  EXPECT_NEAR(speedup / runs, 1.72, 0.04);
  EXPECT_NEAR(most, 2.70, 0.1);
}

// Sec. 3.1: with dimensions of 1,200 and 100 Gb/s, the baseline uses 75 Gb/s of the second dimension.
TEST(Themis, TheBaselineSufficesForCurrentSystems) {
  const LatencyModel model({dimension_model(topology::DimensionKind::kSwitch, 16, 1200, 700),
                            dimension_model(topology::DimensionKind::kSwitch, 64, 100, 1700)});
  ChunkSimulation simulation(model);
  const auto plans = schedule_baseline(model, Collective::kAllReduce, split_into_chunks(1000 * kMB, 4, 64));
  const auto ideal = static_cast<double>(ideal_time(model, Collective::kAllReduce, 1000 * kMB));
  EXPECT_NEAR(ideal / static_cast<double>(simulation.run(plans, IntraDimension::kFifo)), 0.977, 0.01);
}

// The extremes of Fig. 10: few chunks leave most dimensions idle, and many chunks keep all dimensions busy.
TEST(Themis, ReachesTheExtremesOfFigure10) {
  // Routers take 5 cycles at 2 GHz. A message consists of a head flit and flits of 128 bytes.
  constexpr Femtoseconds kCycle = kFemtosecondsPerNanosecond / 2;
  const StepTiming machine{.flit = 128, .payload = 0, .router = 5 * kCycle, .interface_time = 5 * kCycle};
  const auto utilization = [&](IntraDimension policy, int count) {
    double sum = 0;
    for (const ThemisSystem& system : {themis_systems()[2], themis_systems()[5]}) {
      const LatencyModel model(system.dimensions);
      const auto plans =
          schedule_themis(model, Collective::kAllReduce, split_into_chunks(100 * kMB, 4, count));
      sum += study_chunks(model, LatencyModel(system.dimensions, 4, machine), Collective::kAllReduce, plans,
                          policy, kUnit)
                 .utilization;
    }
    return sum / 2;
  };
  EXPECT_NEAR(utilization(IntraDimension::kFifo, 4), 0.4313, 0.05);
  EXPECT_NEAR(utilization(IntraDimension::kSmallestChunkFirst, 4), 0.4858, 0.05);
  EXPECT_NEAR(utilization(IntraDimension::kFifo, 512), 0.8781, 0.05);
  EXPECT_NEAR(utilization(IntraDimension::kSmallestChunkFirst, 512), 0.9118, 0.05);
}

}  // namespace
}  // namespace coppice::schedule
