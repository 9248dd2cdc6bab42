#include "accelerator/buffers/tile_walk.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "buffers/random_tiling.h"

namespace coppice::accelerator {
namespace {

// The result of replaying a plan while tracking the buffers' contents: the bytes moved per operand and the
// products added to each output.
struct Replay {
  Traffic traffic;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>
      sums;  // number of products added to each output
};

Replay replayed(const Case& c, const TilePlan& plan) {
  Replay replay;
  using Block = std::tuple<std::int64_t, std::int64_t>;
  std::set<Block> inputs,
      weights;  // a stationary operand keeps every block it has loaded; any other keeps only the last block
  Block held_output{-1, -1};
  std::map<Block, std::int64_t> done;  // depth summed so far for each output tile
  const auto read = [&c](std::set<Block>& held, bool stays, const Block& block, std::int64_t values,
                         Bytes& sum) {
    if (held.contains(block)) return;
    if (!stays) held.clear();
    held.insert(block);
    sum += values * c.bytes.operand;
  };
  std::int64_t held_size = 0;
  walk_tiles(product(c.m, c.k, c.n), c.array, plan, [&](const TilePosition& tile) -> PeCycles {
    read(inputs, plan.input_stays, {tile.m, tile.k}, tile.height * tile.depth, replay.traffic.input);
    read(weights, plan.weight_stays, {tile.k, tile.n}, tile.depth * tile.width, replay.traffic.weight);
    const Block output{tile.m, tile.n};
    const std::int64_t size = tile.height * tile.width * c.bytes.sum;
    if (output != held_output && !plan.output_stays) {
      // Counts the partial sums that are written to memory and those that are read back.
      if (held_size > 0 && done[held_output] < c.k) replay.traffic.output += held_size;
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

RC_GTEST_PROP(TileWalk, WalksEveryProductOnceAndCountsWhatItsBuffersMiss, ()) {
  const Case c = any_case();
  const TilePlan plan = plan_of(c);
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

// Any plan moves every operand at least once; with unlimited buffers, it moves each operand exactly once.
RC_GTEST_PROP(TileWalk, UnlimitedBuffersMoveEverythingOnceInTheArraysTime, ()) {
  Case c = any_case();
  const Bytes once = c.bytes.operand * (c.m * c.k + c.k * c.n) + c.bytes.result * c.m * c.n;
  const auto walk = [&] { return walk_tiles(product(c.m, c.k, c.n), c.array, plan_of(c), nullptr, c.bytes); };
  RC_ASSERT(walk().traffic.total() >= once);
  c.buffers = {};
  RC_ASSERT(walk().traffic.total() == once);
  RC_ASSERT(walk().compute == c.array.cycles({c.m, c.k, c.n}));
}

// Computed by hand: a 64 x 64 x 64 product on an 8 x 8 array, with half buffers of 1,024 values for inputs
// and for weights and of 256 values for outputs. Tiles of 16 x 64 by 64 x 16 keep their sums in the buffer;
// the output consists of 4 x 4 tiles.
TEST(TileWalk, KnownTraffic) {
  const BufferSizes buffers{8192, 8192, 2048};
  const SystolicArray array(8, 8, Dataflow::kOutputStationary);
  const auto operands = product(64, 64, 64);
  const TilePlan plan = TilePlanner({{operands}}, array, buffers).plan(Tiling::kOutputReuse);
  EXPECT_EQ(plan.m, 16);
  EXPECT_EQ(plan.k, 64);
  EXPECT_EQ(plan.n, 16);
  // The walk visits all n for every m, so a row of inputs stays in the buffer while the weights are loaded
  // again for each m.
  EXPECT_EQ(walk_tiles(operands, array, plan).traffic, (Traffic{16384, 4 * 16384, 16384}));
  // With one-byte values, both operands fit into the buffers. Complete sums leave as one byte, or as four.
  const ValueBytes small{.operand = 1, .result = 1};
  const TilePlan whole = TilePlanner({{operands}}, array, buffers, small).plan(Tiling::kOutputReuse);
  EXPECT_TRUE(whole.input_stays && whole.weight_stays);
  EXPECT_EQ(walk_tiles(operands, array, whole, nullptr, small).traffic, (Traffic{4096, 4096, 4096}));
  EXPECT_EQ(walk_tiles(operands, array, whole, nullptr, {.operand = 1}).traffic,
            (Traffic{4096, 4096, 16384}));
}

}  // namespace
}  // namespace coppice::accelerator
