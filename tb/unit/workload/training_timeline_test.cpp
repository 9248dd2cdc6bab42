#include "workload/training_timeline.h"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"

namespace coppice::workload {
namespace {

// Ten time units, and one for every byte.
Femtoseconds affine(Bytes bytes) {
  return 10 + bytes;
}

std::vector<LayerCost> three_layers() {
  return {{"first", 5, 100, 7, 40}, {"second", 6, 8, 9, 0}, {"third", 3, 4, 2, 20}};
}

TEST(TrainingTimeline, WithoutOverlapReducesEverythingAtTheEnd) {
  const TrainingTimeline timeline = make_timeline(three_layers(), Overlap::kNone, affine);
  EXPECT_EQ(timeline.forward, 14);
  EXPECT_EQ(timeline.backward, 2 + 4 + 9 + 8 + 7);  // not the first layer's input gradient
  EXPECT_EQ(timeline.compute, 44);
  EXPECT_EQ(timeline.communication, 70);
  EXPECT_EQ(timeline.exposed_communication, 70);
  EXPECT_EQ(timeline.overlapped, 0);
  EXPECT_EQ(timeline.total, 114);
}

TEST(TrainingTimeline, UpdatesWeightsByReducedGradients) {
  std::vector<LayerCost> layers = three_layers();
  layers[0].update = 11;
  layers[2].update = 2;
  const TrainingTimeline timeline = make_timeline(layers, Overlap::kNone, affine);
  EXPECT_EQ(timeline.update, 13);
  EXPECT_EQ(timeline.compute, 44 + 13);
  EXPECT_EQ(timeline.exposed_communication, 70);
  EXPECT_EQ(timeline.total, 114 + 13);
}

// Backward takes 30, all gradients 70; the forward pass ends 60 after they began, or 75.
TEST(TrainingTimeline, ChainsTheForwardPassToTheAllReduce) {
  TrainingTimeline timeline = make_timeline(three_layers(), Overlap::kChained, affine);
  EXPECT_EQ(timeline.total, 114);
  EXPECT_EQ(all_reduce_sizes(three_layers(), Overlap::kChained), std::vector<Bytes>{60});
  chain_forward(timeline, 75);
  EXPECT_EQ(timeline.total, 30 + 75);
  EXPECT_EQ(timeline.exposed_communication, 61);
  EXPECT_EQ(timeline.overlapped, 9);
  EXPECT_EQ(timeline.compute, 44);
}

// Forward ends at 14; third's gradient is ready at 16, its all-reduce runs to 46; first's is ready at 44,
// waits for it and runs to 96.
TEST(TrainingTimeline, LayerWiseQueuesAllReducesWhileBackwardGoesOn) {
  const TrainingTimeline timeline = make_timeline(three_layers(), Overlap::kLayerWise, affine);
  EXPECT_EQ(timeline.compute, 44);
  EXPECT_EQ(timeline.layers[2].gradient_ready, 16);
  EXPECT_EQ(timeline.layers[2].all_reduce_begin, 16);
  EXPECT_EQ(timeline.layers[2].all_reduce_end, 46);
  EXPECT_EQ(timeline.layers[2].backward_end, 20);
  EXPECT_EQ(timeline.layers[1].all_reduce_end, timeline.layers[1].gradient_ready);
  EXPECT_EQ(timeline.layers[0].gradient_ready, 44);
  EXPECT_EQ(timeline.layers[0].backward_end, 44);
  EXPECT_EQ(timeline.layers[0].all_reduce_begin, 46);
  EXPECT_EQ(timeline.layers[0].all_reduce_end, 96);
  EXPECT_EQ(timeline.total, 96);
  EXPECT_EQ(timeline.communication, 80);
  EXPECT_EQ(timeline.exposed_communication, 52);
  EXPECT_EQ(timeline.overlapped, 28);
}

TEST(TrainingTimeline, HidesAllReducesThatFitIntoBackward) {
  std::vector<LayerCost> layers = three_layers();
  layers[0].gradient_bytes = 0;
  layers[2].gradient_bytes = 1;
  const TrainingTimeline timeline = make_timeline(layers, Overlap::kLayerWise, affine);
  EXPECT_EQ(timeline.exposed_communication, 0);
  EXPECT_EQ(timeline.overlapped, 11);
  EXPECT_EQ(timeline.total, timeline.compute);
}

TEST(TrainingTimeline, SizesAreThoseOfTheQueue) {
  EXPECT_EQ(all_reduce_sizes(three_layers(), Overlap::kNone), std::vector<Bytes>{60});
  EXPECT_EQ(all_reduce_sizes(three_layers(), Overlap::kLayerWise), (std::vector<Bytes>{20, 40}));
}

TEST(TrainingTimeline, ReducesNothingWithoutGradients) {
  const std::vector<LayerCost> layers{{"only", 5, 5, 5, 0}};
  for (const Overlap overlap : {Overlap::kNone, Overlap::kLayerWise}) {
    const TrainingTimeline timeline = make_timeline(layers, overlap, affine);
    EXPECT_EQ(timeline.communication, 0) << to_string(overlap);
    EXPECT_EQ(timeline.total, 10) << to_string(overlap);
    EXPECT_TRUE(all_reduce_sizes(layers, overlap).empty()) << to_string(overlap);
  }
}

TEST(TrainingTimeline, RefusesAnIterationThatOverflows) {
  constexpr Femtoseconds kLongest = std::numeric_limits<Femtoseconds>::max();
  EXPECT_THROW(make_timeline({{"a", kLongest, 0, 1, 0}}, Overlap::kNone, affine), UnsupportedError);
  EXPECT_THROW(make_timeline({{"a", kLongest - 5, 0, 1, 4}}, Overlap::kNone, affine), UnsupportedError);
}

rc::Gen<LayerCost> any_layer() {
  const auto time = rc::gen::inRange<Femtoseconds>(0, 1000);
  return rc::gen::build<LayerCost>(
      rc::gen::set(&LayerCost::forward, time), rc::gen::set(&LayerCost::input_gradient, time),
      rc::gen::set(&LayerCost::weight_gradient, time),
      rc::gen::set(&LayerCost::gradient_bytes,
                   rc::gen::oneOf(rc::gen::just(Bytes{0}), rc::gen::inRange<Bytes>(1, 2000))));
}

RC_GTEST_PROP(TrainingTimeline, PartsAddUpAndStayWithinTheirLimits, ()) {
  const auto layers = *rc::gen::container<std::vector<LayerCost>>(any_layer());
  const auto overlap = *rc::gen::element(Overlap::kNone, Overlap::kLayerWise);
  const TrainingTimeline timeline = make_timeline(layers, overlap, affine);
  Femtoseconds communication = 0;
  for (const Bytes bytes : all_reduce_sizes(layers, overlap)) communication += affine(bytes);
  RC_ASSERT(timeline.communication == communication);
  RC_ASSERT(timeline.compute + timeline.exposed_communication == timeline.total);
  RC_ASSERT(timeline.exposed_communication + timeline.overlapped == timeline.communication);
  RC_ASSERT(timeline.overlapped >= 0);
  RC_ASSERT(timeline.overlapped <= timeline.backward);
  RC_ASSERT(timeline.exposed_communication >= 0);
}

RC_GTEST_PROP(TrainingTimeline, AllReducesNeverRunTwoAtATimeNorBeforeTheirGradient, ()) {
  const auto layers = *rc::gen::container<std::vector<LayerCost>>(any_layer());
  const TrainingTimeline timeline = make_timeline(layers, Overlap::kLayerWise, affine);
  Femtoseconds free_at = 0;
  for (std::size_t i = layers.size(); i-- > 0;) {
    const LayerTimes& times = timeline.layers[i];
    if (layers[i].gradient_bytes == 0) continue;
    RC_ASSERT(times.all_reduce_begin >= times.gradient_ready);
    RC_ASSERT(times.all_reduce_begin >= free_at);
    // Work-conserving: it waits for its gradient or for the network, for nothing else.
    RC_ASSERT(times.all_reduce_begin == std::max(times.gradient_ready, free_at));
    free_at = times.all_reduce_end;
  }
}

}  // namespace
}  // namespace coppice::workload
