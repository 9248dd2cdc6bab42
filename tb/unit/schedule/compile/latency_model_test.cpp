#include "schedule/compile/latency_model.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "themis_systems.h"
#include "topology/networks/builders.h"
#include "topology/networks/hierarchy.h"

namespace coppice::schedule {
namespace {

using topology::DimensionKind;

TEST(LatencyModel, ReadsTheDimensionsOfATopology) {
  constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;
  const std::vector<topology::DimensionSpec> specs{
      {DimensionKind::kRing, 4, 2, {125'000'000'000}, 20 * kNs},
      {DimensionKind::kFullyConnected, 4, 3, {25'000'000'000}, 700 * kNs},
      {DimensionKind::kSwitch, 8, 4, {25'000'000'000}, 1700 * kNs}};
  const auto models = dimension_models(topology::make_hierarchy(specs));
  EXPECT_THAT(models, testing::ElementsAre(dimension_model(DimensionKind::kRing, 4, 2000, 20),
                                           dimension_model(DimensionKind::kFullyConnected, 4, 600, 700),
                                           dimension_model(DimensionKind::kSwitch, 8, 800, 1700)));
  const LatencyModel model(models);
  EXPECT_EQ(model.fixed_delay(0), 3 * 20 * kNs);
  EXPECT_EQ(model.fixed_delay(1), 700 * kNs);
  EXPECT_EQ(model.fixed_delay(2), 3 * 1700 * kNs);
  EXPECT_EQ(model.accelerators(), 128);
  EXPECT_EQ(model.total_bandwidth(), Bandwidth{425'000'000'000});
}

TEST(LatencyModel, HasNoDimensionsForOtherTopologies) {
  const std::vector<topology::LinkSpec> links(2, {{16'000'000'000}, 0});
  EXPECT_THROW(dimension_models(topology::make_torus(std::vector{4, 4}, links)), UnsupportedError);
}

// In the direct algorithm, a switch's single link carries the messages of a step one after another, whereas
// a fully connected group has a link for each. A switch with several lanes carries several chunks at a time.
TEST(LatencyModel, TimesTheDirectAlgorithmByTheLinksThatItUses) {
  constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;
  DimensionModel lanes = dimension_model(DimensionKind::kSwitch, 6, 800, 700);
  lanes.lanes = 2;
  const LatencyModel model({dimension_model(DimensionKind::kSwitch, 6, 800, 700),
                            dimension_model(DimensionKind::kFullyConnected, 6, 800, 700), lanes});
  EXPECT_EQ(model.serialization(0, 1000), 10 * kNs);
  EXPECT_EQ(model.serialization(1, 1000), 50 * kNs);
  EXPECT_EQ(model.serialization(2, 1000), 20 * kNs);
  const Bytes shares = 6 * 6 * 6;
  const Bytes chunk = 1000 * shares;
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(model.step_transfer(d, Op::kReduce, chunk, 6, 0), 5 * 10 * kNs) << d;
  }
}

TEST(LatencyModel, CountsTheBytesThatAnAcceleratorSends) {
  const LatencyModel model = figure_5();
  EXPECT_EQ(model.sent(0, Op::kReduce, 64), 48);
  EXPECT_EQ(model.after(0, Op::kReduce, 64), 16);
  EXPECT_EQ(model.sent(0, Op::kGather, 16), 48);
  EXPECT_EQ(model.after(0, Op::kGather, 16), 64);
  EXPECT_EQ(model.transfer(0, Op::kReduce, 64'000'000), kUnit);
  EXPECT_EQ(model.transfer(1, Op::kReduce, 16'000'000), kUnit / 2);
  EXPECT_EQ(model.transfer(1, Op::kGather, 4'000'000), kUnit / 2);
}

// A chunk of 1,600 elements (6,400 B) on 16 accelerators, so each share is 100 elements.
TEST(LatencyModel, TimesTheStepsOfEveryAlgorithm) {
  constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;
  // At 100 GB/s, a byte takes 10 ps.
  const LatencyModel model({dimension_model(DimensionKind::kSwitch, 4, 800, 700),
                            dimension_model(DimensionKind::kRing, 4, 800, 20)});
  const auto ns = [&](std::size_t d, Op op, Bytes shares, int step) {
    return static_cast<double>(model.step_transfer(d, op, 6400, shares, step)) / static_cast<double>(kNs);
  };
  EXPECT_EQ(model.steps(0), 2);
  EXPECT_DOUBLE_EQ(ns(0, Op::kReduce, 16, 0), 32);  // half of the chunk; the next step sends a quarter
  EXPECT_DOUBLE_EQ(ns(0, Op::kReduce, 16, 1), 16);
  EXPECT_DOUBLE_EQ(ns(0, Op::kGather, 1, 0), 4);
  EXPECT_DOUBLE_EQ(ns(0, Op::kGather, 1, 1), 8);
  EXPECT_EQ(model.steps(1), 3);
  // A ring step moves a quarter of the chunk, split between both directions, each of which has half of the
  // bandwidth.
  for (int step = 0; step < 3; ++step) EXPECT_DOUBLE_EQ(ns(1, Op::kReduce, 16, step), 16);
  EXPECT_DOUBLE_EQ(ns(1, Op::kGather, 4, 2), 16);
}

TEST(LatencyModel, CountsFlitsAndRouters) {
  constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;
  const std::vector dimensions{dimension_model(DimensionKind::kSwitch, 2, 800, 700)};
  const StepTiming messages{.flit = 100, .payload = 0, .router = 5 * kNs, .interface_time = 2 * kNs};
  const LatencyModel model(dimensions, 4, messages);
  EXPECT_EQ(model.serialization(0, 201), 4 * kNs);             // three flits and a head
  EXPECT_EQ(model.step_latency(0), (700 + 15 + 2 - 1) * kNs);  // three routers
  const StepTiming packets{.flit = 100, .payload = 200, .router = 0, .interface_time = 0};
  EXPECT_EQ(LatencyModel(dimensions, 4, packets).serialization(0, 600), 9 * kNs);
}

TEST(LatencyModel, IdealKeepsAllDimensionsBusy) {
  // Over both phases, each accelerator moves 2 * 15/16 of 256 MB, at a total of 72 GB/s.
  EXPECT_EQ(ideal_time(figure_5(), Collective::kAllReduce, 256'000'000),
            transfer_time(480'000'000, {72'000'000'000}));
  EXPECT_EQ(ideal_time(figure_5(), Collective::kAllGather, 256'000'000),
            transfer_time(240'000'000, {72'000'000'000}));
}

}  // namespace
}  // namespace coppice::schedule
