#include "accelerator/array/array_module.h"

#include <vector>

#include <gmock/gmock.h>

#include "accelerator/array/operands.h"
#include "fabric/sim_time.h"

namespace coppice::accelerator {
namespace {

using ::testing::ElementsAre;

// A testbench that offers tiles at given times and records when their results arrive.
class Bench : public sc_core::sc_module, public TileSource, public TileSink {
 public:
  sc_core::sc_export<TileSource> tiles{"tiles"};
  sc_core::sc_export<TileSink> results{"results"};

  explicit Bench(const sc_core::sc_module_name& name) : sc_module(name) {
    tiles.bind(*this);
    results.bind(*this);
  }

  void offer(const ArrayTile& tile) {
    offered_.push_back(&tile);
    event_.notify(sc_core::SC_ZERO_TIME);
  }

  const ArrayTile* next_tile() override { return next_ < offered_.size() ? offered_[next_++] : nullptr; }
  const sc_core::sc_event& tile_offered() const override { return event_; }
  void take(const ArrayTile& /*tile*/, PeCycles cycles) override {
    took.push_back(cycles);
    ended.push_back(fabric::current_cycle(1'000'000));
  }

  std::vector<PeCycles> took;
  std::vector<Cycles> ended;

 private:
  std::vector<const ArrayTile*> offered_;
  std::size_t next_ = 0;
  sc_core::sc_event event_;
};

TEST(ArrayModule, ComputesTilesBackToBackAndWaitsForMore) {
  fabric::set_time_resolution();
  const SystolicArray array(4, 4, Dataflow::kWeightStationary);
  Matrix<float> a(6, 6);
  Matrix<float> b(6, 5);
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) a.at(i, j) = static_cast<float>(i - 2 * j);
    for (std::int64_t j = 0; j < 5; ++j) b.at(i, j) = static_cast<float>(3 * i + j);
  }
  Matrix<float> out(6, 5);
  std::vector<ArrayTile> tiles;
  for (const auto& tile : tiles_of<float>(array, a.view(), b.view(), out.view())) {
    tiles.emplace_back(tile);
  }
  ASSERT_EQ(tiles.size(), 4U);  // 4x4, 4x1, 2x4 and 2x1 tiles of depth 6

  Bench bench("bench");
  ArrayModule module("array", array, Frequency{1'000'000'000});
  module.tiles.bind(bench.tiles);
  module.results.bind(bench.results);
  for (std::size_t i = 0; i < 3; ++i) bench.offer(tiles[i]);
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS));
  EXPECT_THAT(bench.took, ElementsAre(16, 13, 12));
  EXPECT_THAT(bench.ended, ElementsAre(16, 29, 41));
  bench.offer(tiles[3]);
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS));
  EXPECT_THAT(bench.ended, ElementsAre(16, 29, 41, 109));
  EXPECT_EQ(module.statistics().tiles, 4);
  EXPECT_EQ(module.statistics().busy, array.cycles({6, 6, 5}));
  EXPECT_EQ(module.statistics().macs, 6 * 6 * 5);
  EXPECT_EQ(module.statistics().pe_cycles, 16 * 16 + 13 * 4 + 12 * 8 + 9 * 2);
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < 6; ++k) sum += a.at(i, k) * b.at(k, j);
      EXPECT_EQ(out.at(i, j), sum);
    }
  }
}

}  // namespace
}  // namespace coppice::accelerator
