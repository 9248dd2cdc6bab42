#include "schedule/hierarchical/chunk_prediction.h"

#include <gmock/gmock.h>

#include "schedule/hierarchical/themis.h"
#include "themis_systems.h"

namespace coppice::schedule {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr double kRounding = 1e-6;

// Themis, Fig. 5.a: over 8 units of time, the first dimension is always busy and the second for 4 units.
TEST(ChunkStudy, WeighsTheDimensionsOfFigure5) {
  const LatencyModel model = figure_5();
  const auto plans = schedule_baseline(model, Collective::kAllReduce, split_into_chunks(256'000'000, 4, 4));
  const ChunkStudy study = study_chunks(model, model, Collective::kAllReduce, plans, IntraDimension::kFifo,
                                        3 * kUnit, Grain::kOperations);
  EXPECT_EQ(study.finish, 8 * kUnit);
  ASSERT_EQ(study.dimensions.size(), 2U);
  EXPECT_EQ(study.dimensions[0].sent, 384'000'000);
  EXPECT_EQ(study.dimensions[1].sent, 96'000'000);
  EXPECT_NEAR(study.dimensions[0].utilization, 1, kRounding);
  EXPECT_NEAR(study.dimensions[1].utilization, 0.5, kRounding);
  EXPECT_NEAR(study.utilization, (2 * 1 + 1 * 0.5) / 3, kRounding);
  // The windows last 3, 3 and 2 units. The second dimension is busy from 1 to 5, so for 2 units of each of
  // the first two windows.
  EXPECT_THAT(study.dimensions[0].activity,
              ElementsAre(DoubleNear(1, kRounding), DoubleNear(1, kRounding), DoubleNear(1, kRounding)));
  EXPECT_THAT(
      study.dimensions[1].activity,
      ElementsAre(DoubleNear(2.0 / 3, kRounding), DoubleNear(2.0 / 3, kRounding), DoubleNear(0, kRounding)));
}

TEST(ChunkStudy, SendsTheMinimumOfTheCollective) {
  for (const ThemisSystem& system : themis_systems()) {
    const LatencyModel model(system.dimensions);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      const Bytes size = Bytes{1} << 30;
      const auto plans = schedule_themis(model, collective, split_into_chunks(size, 4, 64));
      const ChunkStudy study =
          study_chunks(model, model, collective, plans, IntraDimension::kSmallestChunkFirst,
                       100'000 * kFemtosecondsPerNanosecond);
      Bytes sent = 0;
      double weighted = 0;
      for (std::size_t d = 0; d < model.dimensions(); ++d) {
        sent += study.dimensions[d].sent;
        weighted += study.dimensions[d].utilization * model.dimension(d).bandwidth.gb_per_s();
      }
      const Bytes once = size - size / 1024;
      EXPECT_EQ(sent, collective == Collective::kAllReduce ? 2 * once : once) << system.name;
      EXPECT_NEAR(weighted / model.total_bandwidth().gb_per_s(), study.utilization, kRounding);
    }
  }
}

}  // namespace
}  // namespace coppice::schedule
