#include "accelerator/buffers/tiling.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "array/random_product.h"
#include "base/error.h"

namespace coppice::accelerator {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ProductOperands product(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {OperandBlocks::plain(m, k), OperandBlocks::plain(k, n), OperandBlocks::plain(m, n)};
}

struct Case {
  std::int64_t m, k, n;
  SystolicArray array{1, 1, Dataflow::kOutputStationary};
  BufferSizes buffers;
  Tiling tiling = Tiling::kLeastTraffic;
  ValueBytes bytes;
};

Case any_case() {
  const auto side = [] { return *rc::gen::inRange<std::int64_t>(1, 40); };
  const auto buffer = []() -> std::optional<Bytes> {
    if (*rc::gen::arbitrary<bool>()) return std::nullopt;
    return *rc::gen::inRange<Bytes>(8 * 5 * 5, 4000);
  };
  const auto array = [] { return *rc::gen::inRange(1, 6); };
  const int rows = array();
  const int columns = array();
  return {side(),
          side(),
          side(),
          SystolicArray(rows, columns, any_dataflow()),
          {buffer(), buffer(), buffer()},
          *rc::gen::element(Tiling::kLeastTraffic, Tiling::kOutputReuse, Tiling::kWeightReuse,
                            Tiling::kInputReuse),
          {*rc::gen::element<Bytes>(1, 2, 4), *rc::gen::element<Bytes>(1, 2, 4), 4}};
}

// A run of the plan over buffers that hold single values: what each of them reads and writes.
struct Replay {
  Traffic traffic;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sums;  // products added to each result
};

Replay replayed(const Case& c, const TilePlan& plan) {
  Replay replay;
  using Block = std::tuple<std::int64_t, std::int64_t>;
  std::set<Block> inputs, weights;  // of staying operands, all; else the last block
  Block held_output{-1, -1};
  std::map<Block, std::int64_t> done;  // depth that a tile of sums has
  const auto read = [&c](std::set<Block>& held, bool stays, const Block& block, std::int64_t values,
                         Bytes& sum) {
    if (held.contains(block)) return;
    if (!stays) held.clear();
    held.insert(block);
    sum += values * c.bytes.operand;
  };
  std::int64_t held_size = 0;
  walk_tiles(product(c.m, c.k, c.n), c.array, plan, [&](const TilePlace& tile) -> PeCycles {
    read(inputs, plan.input_stays, {tile.m, tile.k}, tile.height * tile.depth, replay.traffic.input);
    read(weights, plan.weight_stays, {tile.k, tile.n}, tile.depth * tile.width, replay.traffic.weight);
    const Block output{tile.m, tile.n};
    const std::int64_t size = tile.height * tile.width * c.bytes.sum;
    if (output != held_output && !plan.output_stays) {
      if (held_size > 0 && done[held_output] < c.k) replay.traffic.output += held_size;  // leaves incomplete
      if (done[output] > 0) replay.traffic.output += size;
    }
    held_output = output;
    held_size = size;
    done[output] += tile.depth;
    if (done[output] == c.k) replay.traffic.output += tile.height * tile.width * c.bytes.result;
    for (std::int64_t i = tile.m; i < tile.m + tile.height; ++i) {
      for (std::int64_t j = tile.n; j < tile.n + tile.width; ++j) replay.sums[{i, j}] += tile.depth;
    }
    return 1;
  });
  return replay;
}

RC_GTEST_PROP(Tiling, WalksEveryProductOnceAndCountsWhatItsBuffersMiss, ()) {
  const Case c = any_case();
  const TilePlan plan = plan_tiles(product(c.m, c.k, c.n), c.array, c.buffers, c.tiling, c.bytes);
  const TileWalk walk = walk_tiles(product(c.m, c.k, c.n), c.array, plan, nullptr, c.bytes);
  const Replay replay = replayed(c, plan);
  RC_ASSERT(walk.traffic == replay.traffic);
  RC_ASSERT(std::ssize(replay.sums) == c.m * c.n);
  for (const auto& [place, depth] : replay.sums) RC_ASSERT(depth == c.k);
  Traffic steps;
  PeCycles compute = 0;
  for (const TileStep& step : walk.steps) {
    steps += {step.input, step.weight, step.sums_in + step.sums_out};
    compute += step.compute;
  }
  RC_ASSERT(steps == walk.traffic);
  RC_ASSERT(compute == walk.compute);
  RC_ASSERT(compute == tiles_compute(product(c.m, c.k, c.n), c.array, plan));
}

RC_GTEST_PROP(Tiling, TilesFitTheirBuffers, ()) {
  const Case c = any_case();
  const TilePlan plan = plan_tiles(product(c.m, c.k, c.n), c.array, c.buffers, c.tiling, c.bytes);
  const auto fits = [](const std::optional<Bytes>& buffer, bool stays, std::int64_t operand,
                       std::int64_t tile, Bytes value) {
    if (!buffer) return true;
    return value * (stays ? operand : 2 * tile) <= *buffer;
  };
  RC_ASSERT(fits(c.buffers.input, plan.input_stays, c.m * c.k, plan.m * plan.k, c.bytes.operand));
  RC_ASSERT(fits(c.buffers.weight, plan.weight_stays, c.k * c.n, plan.k * plan.n, c.bytes.operand));
  RC_ASSERT(fits(c.buffers.output, plan.output_stays, c.m * c.n, plan.m * plan.n, c.bytes.sum));
}

RC_GTEST_PROP(Tiling, NoNamedTilingMovesLessThanTheLeast, ()) {
  const Case c = any_case();
  const auto traffic = [&](Tiling tiling) {
    const auto operands = product(c.m, c.k, c.n);
    return walk_tiles(operands, c.array, plan_tiles(operands, c.array, c.buffers, tiling, c.bytes), nullptr,
                      c.bytes)
        .traffic.total();
  };
  const Bytes least = traffic(Tiling::kLeastTraffic);
  for (const Tiling named : {Tiling::kOutputReuse, Tiling::kWeightReuse, Tiling::kInputReuse}) {
    RC_ASSERT(least <= traffic(named));
  }
}

// Nothing can move less than every operand once; unlimited buffers move no more.
RC_GTEST_PROP(Tiling, UnlimitedBuffersMoveEverythingOnceInTheArraysTime, ()) {
  Case c = any_case();
  const Bytes once = c.bytes.operand * (c.m * c.k + c.k * c.n) + c.bytes.result * c.m * c.n;
  const auto walk = [&] {
    const auto operands = product(c.m, c.k, c.n);
    return walk_tiles(operands, c.array, plan_tiles(operands, c.array, c.buffers, c.tiling, c.bytes), nullptr,
                      c.bytes);
  };
  RC_ASSERT(walk().traffic.total() >= once);
  c.buffers = {};
  RC_ASSERT(walk().traffic.total() == once);
  RC_ASSERT(walk().compute == c.array.cycles({c.m, c.k, c.n}));
}

// 64 x 64 x 64 on 8 x 8 with 1,024 values in a half buffer of inputs and weights and 256 of outputs, by hand:
// tiles of 16 x 64 by 64 x 16 keep the sums: each operand passes four times.
TEST(Tiling, KnownTraffic) {
  const BufferSizes buffers{8192, 8192, 2048};
  const SystolicArray array(8, 8, Dataflow::kOutputStationary);
  const auto operands = product(64, 64, 64);
  const TilePlan plan = plan_tiles(operands, array, buffers, Tiling::kOutputReuse);
  EXPECT_EQ(plan.m, 16);
  EXPECT_EQ(plan.k, 64);
  EXPECT_EQ(plan.n, 16);
  // For every m all n: the inputs of an m stay, the weights come again.
  EXPECT_EQ(walk_tiles(operands, array, plan).traffic, (Traffic{16384, 4 * 16384, 16384}));
  // Of one byte all operands stay; complete sums leave as one byte, or as the four that they have.
  const ValueBytes small{.operand = 1, .result = 1};
  const TilePlan whole = plan_tiles(operands, array, buffers, Tiling::kOutputReuse, small);
  EXPECT_TRUE(whole.input_stays && whole.weight_stays);
  EXPECT_EQ(walk_tiles(operands, array, whole, nullptr, small).traffic, (Traffic{4096, 4096, 4096}));
  EXPECT_EQ(walk_tiles(operands, array, whole, nullptr, {.operand = 1}).traffic,
            (Traffic{4096, 4096, 16384}));
}

TEST(Tiling, NamesTheBufferThatIsTooSmall) {
  const SystolicArray array(32, 32, Dataflow::kWeightStationary);
  EXPECT_THAT(
      [&] {
        plan_tiles(product(64, 64, 64), array, {{}, 4096, {}}, Tiling::kLeastTraffic);
      },
      ThrowsMessage<UnsupportedError>(
          HasSubstr("the weight buffer is too small: half of it must hold 1024")));
}

TEST(Tiling, HasNames) {
  EXPECT_EQ(parse_tiling("weight_reuse"), Tiling::kWeightReuse);
  EXPECT_THROW(parse_tiling("row_stationary"), std::invalid_argument);
}

}  // namespace
}  // namespace coppice::accelerator
