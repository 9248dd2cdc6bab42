#include "accelerator/tile_engine.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include "accelerator/array/tile_run.h"
#include "accelerator/buffers/tiling.h"
#include "base/error.h"
#include "buffers/random_tiles.h"
#include "fabric/sim_time.h"

namespace coppice::accelerator {
namespace {

constexpr Frequency kClock{1'000'000'000};
constexpr Femtoseconds kPeriod = 1'000'000;

// A memory that serves one transfer at a time, at a few bytes per cycle.
class SmallMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<SmallMemory> accelerator{"accelerator"};
  tlm_utils::simple_target_socket<SmallMemory> dma{"dma"};

  SmallMemory(const sc_core::sc_module_name& name, std::int64_t bytes_a_cycle)
      : sc_module(name), pace{Bandwidth{bytes_a_cycle * 1'000'000'000}, kClock} {
    accelerator.register_b_transport(this, &SmallMemory::serve);
    dma.register_b_transport(this, &SmallMemory::serve);
  }

  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(1 << 16);
  MemoryPace pace;

 private:
  void serve(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const auto length = payload.get_data_length();
    if (payload.get_address() + length > bytes.size()) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    std::uint8_t* place = bytes.data() + payload.get_address();
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), place, length);
    if (payload.is_write()) std::memcpy(place, payload.get_data_ptr(), length);
    free_ =
        std::max(free_, sc_core::sc_time_stamp() + delay) + fabric::to_sc_time(pace.cycles(length) * kPeriod);
    delay = free_ - sc_core::sc_time_stamp();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  sc_core::sc_time free_;
};

// A program of tiles that have timing but no data.
class TimedTiles : public TileProgram {
 public:
  TimedTiles(std::vector<TileDemand> tiles, bool output_stays)
      : tiles_(std::move(tiles)), output_stays_(output_stays) {}
  std::int64_t tiles() const override { return std::ssize(tiles_); }
  TileDemand demand(std::int64_t tile) const override { return tiles_[static_cast<std::size_t>(tile)]; }
  bool output_stays() const override { return output_stays_; }
  std::uint64_t load_address(std::int64_t /*tile*/) const override { return 0; }
  std::uint64_t store_address(std::int64_t /*tile*/) const override { return 0; }
  void loaded(std::int64_t /*tile*/, std::span<const std::uint8_t> /*operands*/) override {}
  void compute(std::int64_t /*tile*/) override {}
  std::span<const std::uint8_t> results(std::int64_t tile) override {
    results_.resize(static_cast<std::size_t>(demand(tile).store));
    return results_;
  }

 private:
  std::vector<TileDemand> tiles_;
  bool output_stays_;
  std::vector<std::uint8_t> results_;
};

// A single testbench that runs every program, because a SystemC kernel elaborates only once per process.
class Bench : public sc_core::sc_module {
 public:
  SmallMemory memory{"memory", 3};
  TileEngine accelerator{"accelerator", kClock};
  tlm_utils::simple_initiator_socket<Bench> network{"network"};

  explicit Bench(const sc_core::sc_module_name& name) : sc_module(name) {
    accelerator.memory.bind(memory.accelerator);
    network.bind(memory.dma);
    SC_HAS_PROCESS(Bench);
    SC_METHOD(note);
    sensitive << accelerator.done();
    dont_initialize();
  }

  // Runs `program` and returns its duration in cycles.
  PeCycles run(TileProgram& program) {
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    accelerator.start(program);
    while (accelerator.busy()) sc_core::sc_start(fabric::to_sc_time(10 * kPeriod));
    return static_cast<PeCycles>((end_ - begin).value()) / kPeriod;
  }

 private:
  void note() { end_ = sc_core::sc_time_stamp(); }

  sc_core::sc_time end_;
};

TEST(TileEngine, TakesTheCyclesOfThePipelineOrFewerWithAnExclusiveMemory) {
  fabric::set_time_resolution();
  Bench bench("bench");
  rc::check([&] {
    const std::vector<TileDemand> tiles = any_tiles();
    const bool output_stays = *rc::gen::arbitrary<bool>();
    TimedTiles program(tiles, output_stays);
    const PipelineTimes times = run_pipeline(tiles, 1, output_stays, bench.memory.pace);
    RC_ASSERT(bench.run(program) == times.end);
  });
  // While the network interface occupies the memory, the first tile waits.
  const std::vector<TileDemand> tiles{{10, 30, 30, true, true}, {10, 30, 30, true, true}};
  TimedTiles program(tiles, false);
  const PeCycles alone = bench.run(program);
  std::vector<std::uint8_t> data(3000);
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_data_ptr(data.data());
  payload.set_data_length(3000);
  sc_core::sc_time delay;
  bench.network->b_transport(payload, delay);
  EXPECT_EQ(bench.run(program), alone + 1000);
}

// A matrix product on an array; the memory stores its operands tile by tile.
class ProductTiles : public TileProgram {
 public:
  ProductTiles(const SystolicArray& array, const Matrix<float>& a, const Matrix<float>& b,
               std::vector<std::uint8_t>& memory)
      : array_(array) {
    std::uint64_t address = 0;
    for (std::int64_t m = 0; m < a.rows(); m += array.rows()) {
      for (std::int64_t n = 0; n < b.columns(); n += array.columns()) {
        Tile tile{a.view().block(m, 0, std::min<std::int64_t>(array.rows(), a.rows() - m), a.columns()),
                  b.view().block(0, n, b.rows(), std::min<std::int64_t>(array.columns(), b.columns() - n)),
                  address};
        for (const auto& operand : {tile.a, tile.b}) {
          for (std::int64_t i = 0; i < operand.rows; ++i) {
            for (std::int64_t j = 0; j < operand.columns; ++j, address += 4) {
              std::memcpy(memory.data() + address, &operand.at(i, j), 4);
            }
          }
        }
        tile.result = address;
        address += static_cast<std::uint64_t>(tile.a.rows * tile.b.columns * 4);
        all_.push_back(tile);
      }
    }
  }

  std::int64_t tiles() const override { return std::ssize(all_); }
  TileDemand demand(std::int64_t tile) const override {
    const Tile& t = all_[static_cast<std::size_t>(tile)];
    const std::int64_t depth = t.a.columns;
    return {array_.cycles({t.a.rows, depth, t.b.columns}), 4 * depth * (t.a.rows + t.b.columns),
            4 * t.a.rows * t.b.columns, true, true};
  }
  bool output_stays() const override { return false; }
  std::uint64_t load_address(std::int64_t tile) const override {
    return all_[static_cast<std::size_t>(tile)].operands;
  }
  std::uint64_t store_address(std::int64_t tile) const override {
    return all_[static_cast<std::size_t>(tile)].result;
  }
  void loaded(std::int64_t tile, std::span<const std::uint8_t> operands) override {
    auto& half = halves_[static_cast<std::size_t>(tile % 2)];
    half.resize(operands.size() / 4);
    std::memcpy(half.data(), operands.data(), operands.size());
  }
  void compute(std::int64_t tile) override {
    const Tile& t = all_[static_cast<std::size_t>(tile)];
    const float* values = halves_[static_cast<std::size_t>(tile % 2)].data();
    const std::int64_t depth = t.a.columns;
    auto& sums = sums_[static_cast<std::size_t>(tile % 2)];
    sums.assign(static_cast<std::size_t>(t.a.rows * t.b.columns), 0.0F);
    const PeCycles cycles = run_product<float>(array_, {values, t.a.rows, depth, depth},
                                               {values + t.a.rows * depth, depth, t.b.columns, t.b.columns},
                                               {sums.data(), t.a.rows, t.b.columns, t.b.columns});
    EXPECT_EQ(cycles, demand(tile).compute);
  }
  std::span<const std::uint8_t> results(std::int64_t tile) override {
    const auto& sums = sums_[static_cast<std::size_t>(tile % 2)];
    return {reinterpret_cast<const std::uint8_t*>(sums.data()), sums.size() * 4};
  }

  struct Tile {
    MatrixView<const float> a;
    MatrixView<const float> b;
    std::uint64_t operands = 0;
    std::uint64_t result = 0;
  };
  const std::vector<Tile>& all() const { return all_; }

 private:
  SystolicArray array_;
  std::vector<Tile> all_;
  std::vector<float> halves_[2];
  std::vector<float> sums_[2];
};

TEST(TileEngine, ComputesAProductFromMemoryToMemory) {
  fabric::set_time_resolution();
  Bench bench("bench");
  const SystolicArray array(8, 4, Dataflow::kOutputStationary);
  Matrix<float> a(20, 30);
  Matrix<float> b(30, 10);
  for (std::int64_t k = 0; k < 30; ++k) {
    for (std::int64_t i = 0; i < 20; ++i) a.at(i, k) = static_cast<float>((3 * i + 5 * k) % 13 - 6);
    for (std::int64_t j = 0; j < 10; ++j) b.at(k, j) = static_cast<float>((7 * k + 2 * j) % 11 - 5);
  }
  ProductTiles program(array, a, b, bench.memory.bytes);
  const PeCycles cycles = bench.run(program);
  EXPECT_GE(cycles, array.cycles({20, 30, 10}));
  EXPECT_EQ(bench.accelerator.statistics().busy, array.cycles({20, 30, 10}));
  EXPECT_EQ(bench.accelerator.statistics().stored, 4 * 20 * 10);
  for (const ProductTiles::Tile& tile : program.all()) {
    std::uint64_t address = tile.result;
    for (std::int64_t i = 0; i < tile.a.rows; ++i) {
      for (std::int64_t j = 0; j < tile.b.columns; ++j, address += 4) {
        float sum = 0;
        for (std::int64_t k = 0; k < 30; ++k) sum += tile.a.at(i, k) * tile.b.at(k, j);
        float stored = 0;
        std::memcpy(&stored, bench.memory.bytes.data() + address, 4);
        EXPECT_EQ(stored, sum);
      }
    }
  }
  EXPECT_FALSE(bench.accelerator.busy());
}

}  // namespace
}  // namespace coppice::accelerator
