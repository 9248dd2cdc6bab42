#include "accelerator/buffers/tile_pipeline.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "buffers/random_tiles.h"

namespace coppice::accelerator {
namespace {

constexpr MemoryPace kByteACycle{Bandwidth{1'000'000'000}, Frequency{1'000'000'000}};

TEST(TilePipeline, OneTileLoadsComputesAndStores) {
  const std::vector<TileDemand> tiles{{10, 7, 5, true, true}};
  const PipelineTimes times = run_pipeline(tiles, 1, false, kByteACycle);
  EXPECT_EQ(times.end, 7 + 10 + 5);
  EXPECT_EQ(times.compute, 10);
  EXPECT_EQ(times.stalls(), 12);
  EXPECT_EQ(times.memory_busy, 12);
}

// Loads of 4 cycles hide behind computations of 10 cycles: only the first load and the last store are
// exposed.
TEST(TilePipeline, PrefetchingHidesMemoryTime) {
  const std::vector<TileDemand> tiles{{10, 4, 3, true, true}};
  EXPECT_EQ(run_pipeline(tiles, 20, false, kByteACycle).end, 4 + 200 + 3);
}

// Loads of 20 cycles and stores of 5 keep the memory busy; the last computation overlaps only the
// second-to-last store.
TEST(TilePipeline, ASlowMemoryDeterminesTheTime) {
  const std::vector<TileDemand> tiles{{10, 20, 5, true, true}};
  const PipelineTimes times = run_pipeline(tiles, 8, false, kByteACycle);
  EXPECT_EQ(times.memory_busy, 8 * 25);
  EXPECT_EQ(times.end, 8 * 20 + 7 * 5 + 10 + 5 - 5);
}

TEST(TilePipeline, AnUnlimitedMemoryNeverStalls) {
  const std::vector<TileDemand> tiles{{10, 1000, 5, true, true}, {3, 7, 900, true, true}};
  EXPECT_EQ(run_pipeline(tiles, 5, false, {}).stalls(), 0);
  EXPECT_EQ(run_pipeline({}, 5, false, kByteACycle).end, 0);
}

// A stationary operand does not occupy half of a double buffer, so it can be loaded as early as the memory
// permits.
TEST(TilePipeline, StationaryOperandsAreLoadedInAdvance) {
  const std::vector<TileDemand> halves{{1, 1, 0, true, true},
                                       {100, 1, 0, false, true},
                                       {1, 1, 0, false, true},
                                       {1, 150, 0, false, true},
                                       {1, 0, 0, false, true}};
  std::vector<TileDemand> stays = halves;
  for (TileDemand& tile : stays) tile.takes_half = false;
  EXPECT_EQ(run_pipeline(halves, 1, true, kByteACycle).end, 102 + 150 + 2);
  EXPECT_EQ(run_pipeline(stays, 1, true, kByteACycle).end, 153 + 2);
}

// The reference: simulates the pipeline's rules independently, cycle by cycle.
PeCycles stepped(const std::vector<TileDemand>& tiles, bool output_stays) {
  const auto count = std::ssize(tiles);
  std::vector<PeCycles> load_end(tiles.size(), -1), compute_end(tiles.size(), -1),
      store_end(tiles.size(), -1);
  std::vector<std::int64_t> output(tiles.size());
  std::int64_t outputs = -1;
  for (std::size_t i = 0; i < tiles.size(); ++i) output[i] = outputs += tiles[i].new_output ? 1 : 0;
  const auto ended = [](PeCycles end, PeCycles now) { return end >= 0 && end <= now; };
  std::ptrdiff_t load = 0, compute = 0, store = 0;
  PeCycles memory_until = 0, load_since = -1, last = 0;
  std::vector<std::pair<PeCycles, std::ptrdiff_t>>
      waiting;  // stores that wait for the memory, with the cycle of their request
  for (PeCycles now = 0; store < count || compute < count || !waiting.empty(); ++now) {
    bool changed = true;
    while (changed) {
      changed = false;
      if (compute < count && compute < load && ended(load_end[compute], now) &&
          (compute == 0 || ended(compute_end[compute - 1], now))) {
        bool free = true;
        if (!output_stays && tiles[compute].new_output) {
          for (std::ptrdiff_t i = 0; i < compute; ++i) {
            if (output[i] <= output[compute] - 2 && !ended(store_end[i], now)) free = false;
          }
        }
        if (free) {
          compute_end[compute] = now + tiles[compute].compute;
          last = std::max(last, compute_end[compute]);
          ++compute;
          changed = true;
        }
      }
      for (; store < count && ended(compute_end[store], now); ++store) {
        if (tiles[store].store == 0) {
          store_end[store] = compute_end[store];
        } else {
          waiting.emplace_back(now, store);
        }
        changed = true;
      }
      const bool may_load = load < count && (load == 0 || ended(load_end[load - 1], now)) &&
                            (!tiles[load].takes_half || load < 2 || ended(compute_end[load - 2], now));
      if (may_load && tiles[load].load == 0) {
        load_end[load++] = now;
        changed = true;
        continue;
      }
      if (may_load && load_since < 0) load_since = now;
      if (memory_until > now) continue;
      if (!waiting.empty() && (load_since < 0 || waiting.front().first <= load_since)) {
        const auto i = waiting.front().second;
        waiting.erase(waiting.begin());
        memory_until = now + tiles[i].store;
        store_end[i] = memory_until;
        last = std::max(last, memory_until);
        changed = true;
      } else if (load_since >= 0) {
        memory_until = now + tiles[load].load;
        load_end[load] = memory_until;
        ++load;
        load_since = -1;
        changed = true;
      }
    }
  }
  return last;
}

RC_GTEST_PROP(TilePipeline, EndsLikeAMachineSimulatedCycleByCycle, ()) {
  const std::vector<TileDemand> tiles = any_tiles();
  const bool output_stays = *rc::gen::arbitrary<bool>();
  const PipelineTimes times = run_pipeline(tiles, 1, output_stays, kByteACycle);
  RC_ASSERT(times.end == stepped(tiles, output_stays));
  // Running the tiles twice must equal running a list that contains them twice.
  std::vector<TileDemand> twice = tiles;
  twice.insert(twice.end(), tiles.begin(), tiles.end());
  RC_ASSERT(run_pipeline(tiles, 2, output_stays, kByteACycle).end ==
            run_pipeline(twice, 1, output_stays, kByteACycle).end);
}

RC_GTEST_PROP(TilePipeline, NeverEndsBeforeItsWork, ()) {
  const std::vector<TileDemand> tiles = any_tiles();
  for (const std::int64_t rate : {1, 2, 4, 1000}) {
    const PipelineTimes times =
        run_pipeline(tiles, 1, false, {Bandwidth{rate * 1'000'000'000}, Frequency{1'000'000'000}});
    RC_ASSERT(times.end >= std::max(times.compute, times.memory_busy));
  }
}

}  // namespace
}  // namespace coppice::accelerator
