#include "workload/training_timeline.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/error.h"

namespace coppice::workload {
namespace {

std::vector<LayerCost> three_layers() {
  return {{"first", 5, 100, 7, 40}, {"second", 6, 8, 9, 0}, {"third", 3, 4, 2, 20}};
}

TEST(TrainingTimeline, OrdersPassesOneAfterAnother) {
  const TrainingTimeline timeline = lay_out_computation(three_layers());
  EXPECT_EQ(timeline.forward, 14);
  EXPECT_EQ(timeline.backward, 2 + 4 + 9 + 8 + 7);  // the first layer has no input gradient
  EXPECT_EQ(timeline.compute, 44);
  EXPECT_EQ(timeline.total, 44);
  EXPECT_EQ(timeline.layers[1].forward_end, 11);
  EXPECT_EQ(timeline.layers[2].gradient_ready, 16);
  EXPECT_EQ(timeline.layers[2].backward_end, 20);
  EXPECT_EQ(timeline.layers[0].gradient_ready, 44);
  EXPECT_EQ(timeline.layers[0].all_reduce_begin, timeline.layers[0].all_reduce_end);
}

TEST(TrainingTimeline, UpdatesWeightsAtTheEnd) {
  std::vector<LayerCost> layers = three_layers();
  layers[0].update = 11;
  layers[2].update = 2;
  const TrainingTimeline timeline = lay_out_computation(layers);
  EXPECT_EQ(timeline.update, 13);
  EXPECT_EQ(timeline.compute, 44 + 13);
  EXPECT_EQ(timeline.total, 44 + 13);
}

TEST(TrainingTimeline, RejectsAnIterationThatOverflows) {
  constexpr Femtoseconds kLongest = std::numeric_limits<Femtoseconds>::max();
  EXPECT_THROW(lay_out_computation({{"a", kLongest, 0, 1, 0}}), UnsupportedError);
  EXPECT_THROW(lay_out_computation({{"a", kLongest - 5, 0, 1, 4}, {"b", 9, 0, 0, 0}}), UnsupportedError);
}

}  // namespace
}  // namespace coppice::workload
