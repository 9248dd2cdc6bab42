#include "accelerator/buffers/tile_planner.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accelerator/buffers/tile_walk.h"
#include "base/error.h"
#include "buffers/random_tiling.h"
#include "random_layer.h"

namespace coppice::accelerator {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

RC_GTEST_PROP(TilePlanner, TilesFitTheirBuffers, ()) {
  const Case c = any_case();
  const TilePlan plan = plan_of(c);
  const auto fits = [](const std::optional<Bytes>& buffer, bool stays, std::int64_t operand,
                       std::int64_t tile, Bytes value) {
    if (!buffer) return true;
    return value * (stays ? operand : 2 * tile) <= *buffer;
  };
  RC_ASSERT(fits(c.buffers.input, plan.input_stays, c.m * c.k, plan.m * plan.k, c.bytes.operand));
  RC_ASSERT(fits(c.buffers.weight, plan.weight_stays, c.k * c.n, plan.k * plan.n, c.bytes.operand));
  RC_ASSERT(fits(c.buffers.output, plan.output_stays, c.m * c.n, plan.m * plan.n, c.bytes.sum));
}

// The matrix products of a random layer, which may have halos, strides and padding, and of a part of this
// layer.
struct LayerCase {
  std::vector<CountedProduct> products;
  Case limits = any_case();
};

LayerCase any_layer_case() {
  const workload::Layer layer = any_layer();
  workload::Layer part = layer;
  part.part_height = *rc::gen::inRange<std::int64_t>(1, layer.output_height() + 1);
  const workload::Pass pass = *rc::gen::element(workload::Pass::kForward, workload::Pass::kInputGradient,
                                                workload::Pass::kWeightGradient);
  const auto times = [] { return *rc::gen::inRange<std::int64_t>(0, 4); };
  return {{{operands_of(layer, pass, 2), times(), times(), times()},
           {operands_of(part, pass, 1), times(), times(), times()}}};
}

RC_GTEST_PROP(TilePlanner, CountsTheTrafficOfAWalk, ()) {
  const LayerCase c = any_layer_case();
  TilePlanner planner(c.products, c.limits.array, c.limits.buffers, c.limits.bytes);
  const TilePlan plan = planner.plan(c.limits.order);
  Traffic walked;
  for (const CountedProduct& product : c.products) {
    const Traffic once = walk_tiles(product.operands, c.limits.array, plan, nullptr, c.limits.bytes).traffic;
    walked += {once.input * product.inputs, once.weight * product.weights, once.output * product.outputs};
  }
  RC_ASSERT(planner.traffic(plan) == walked);
}

// The plan is locally optimal: doubling a side that is not streamed, if the buffers allow it, never reduces
// the number of bytes moved.
RC_GTEST_PROP(TilePlanner, AdjacentSizesMoveAtLeastAsMuch, ()) {
  const LayerCase c = any_layer_case();
  TilePlanner planner(c.products, c.limits.array, c.limits.buffers, c.limits.bytes);
  const TilePlan plan = planner.plan(c.limits.order);
  const ProductShape whole = shape_of(c.products.front().operands);
  const auto fits = [&](bool stays, const std::optional<Bytes>& buffer, std::int64_t values, Bytes size) {
    return stays || 2 * values * size <= *buffer;
  };
  const auto compare = [&](std::int64_t TilePlan::*side, std::int64_t length, std::int64_t all) {
    TilePlan other = plan;
    other.*side = length < all ? length : all;
    if (!fits(plan.input_stays, c.limits.buffers.input, other.m * other.k, c.limits.bytes.operand) ||
        !fits(plan.weight_stays, c.limits.buffers.weight, other.k * other.n, c.limits.bytes.operand) ||
        !fits(plan.output_stays, c.limits.buffers.output, other.m * other.n, c.limits.bytes.sum)) {
      return;
    }
    RC_ASSERT(planner.traffic(other).total() >= planner.traffic(plan).total());
  };
  if (c.limits.array.dataflow() != Dataflow::kWeightStationary) compare(&TilePlan::m, 2 * plan.m, whole.m);
  if (c.limits.array.dataflow() != Dataflow::kOutputStationary) compare(&TilePlan::k, 2 * plan.k, whole.k);
  if (c.limits.array.dataflow() != Dataflow::kInputStationary) compare(&TilePlan::n, 2 * plan.n, whole.n);
}

TEST(TilePlanner, ReportsTheBufferThatIsTooSmall) {
  const SystolicArray array(32, 32, Dataflow::kWeightStationary);
  EXPECT_THAT(
      [&] {
        TilePlanner({{product(64, 64, 64)}}, array, {{}, 4096, {}});
      },
      ThrowsMessage<UnsupportedError>(HasSubstr(
          "the weight buffer is too small: half of it must hold a tile of the array's size, 1024")));
}

}  // namespace
}  // namespace coppice::accelerator
