// Compares the Verilog systolic array, including its feeders and drain, with TileRun. Random tiles follow
// each other back to back. The requests of every lane and the results with their cycles must be equal.
#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "Vsystolic_array_os.h"
#include "Vsystolic_array_os_1.h"
#include "Vsystolic_array_os_2.h"
#include "Vsystolic_array_ws.h"
#include "Vsystolic_array_ws_1.h"
#include "Vsystolic_array_ws_2.h"
#include "accelerator/array/tile_run.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

using accelerator::Dataflow;
using accelerator::Matrix;
using accelerator::TileRun;

// A tile and its model. The model runs in step with the Verilog, or one cycle behind.
struct Tile {
  Tile(Dataflow dataflow, int used_rows, int used_columns, int used_depth, Stimulus& random, bool whole,
       int pe_latency)
      : rows(used_rows),
        columns(used_columns),
        depth(used_depth),
        left(rows, depth),
        upper(dataflow == Dataflow::kOutputStationary ? depth : rows, columns),
        expected(dataflow == Dataflow::kOutputStationary ? rows : depth, columns),
        written(expected.rows(), columns) {
    draw(left, random, whole);
    draw(upper, random, whole);
    run = std::make_unique<TileRun<float>>(
        dataflow, accelerator::TileOperands<float>{left.view(), upper.view(), expected.view()}, pe_latency);
  }

  static void draw(Matrix<float>& matrix, Stimulus& random, bool whole) {
    for (std::int64_t i = 0; i < matrix.rows(); ++i) {
      for (std::int64_t j = 0; j < matrix.columns(); ++j) {
        const float value = static_cast<float>(static_cast<int>(random.below(2001)) - 1000);
        matrix.at(i, j) =
            whole ? std::round(value / 100)
                  : accelerator::round_to_bf16(std::ldexp(value, static_cast<int>(random.below(80)) - 40));
      }
    }
  }

  int rows, columns, depth;
  Matrix<float> left, upper, expected, written;
  std::unique_ptr<TileRun<float>> run;
  int writes = 0;
};

std::uint32_t half_word(float value) {
  return std::bit_cast<std::uint32_t>(value) >> 16;
}

// Reads lane `number` of a packed port with lanes of `width` bits.
template <typename Port>
std::uint32_t lane(const Port& port, int number, int width) {
  const int bit = number * width;
  std::uint64_t value = 0;
  if constexpr (std::is_integral_v<Port>) {
    value = static_cast<std::uint64_t>(port) >> bit;
  } else {
    value = port[bit / 32] >> (bit % 32);
  }
  return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << width) - 1));
}

// Writes half word `number` of a packed port.
template <typename Port>
void set_half_word(Port& port, int number, std::uint32_t value) {
  if constexpr (std::is_integral_v<Port>) {
    const int bit = number * 16;
    port = static_cast<Port>((static_cast<std::uint64_t>(port) & ~(std::uint64_t{0xffff} << bit)) |
                             static_cast<std::uint64_t>(value) << bit);
  } else {
    const int bit = number * 16 % 32;
    port[number / 2] = (port[number / 2] & ~(0xffffU << bit)) | value << bit;
  }
}

// Runs a Verilog array of kRows x kColumns PEs with kDepthBits-bit addresses, and compares it with the model.
template <typename Block, Dataflow kDataflow, int kPeLatency, int kRows = 4, int kColumns = 3,
          int kDepthBits = 16>
class Bench {
 public:
  explicit Bench(std::uint64_t seed) : random_(seed) {}

  // Runs `tiles` tiles. If `resets`, occasionally resets the array in the middle of a tile.
  void run(int tiles, bool resets = false) {
    while (done_ < tiles) {
      if (resets && random_.one_in(200)) reset();
      offer(tiles);
      answer();
      compare();
      if (::testing::Test::HasFatalFailure()) return;
      advance();
    }
  }

  std::int64_t busy_cycles() const { return busy_; }

 private:
  static constexpr bool kStays = kDataflow == Dataflow::kOutputStationary;
  // The depth is limited such that rows, columns and depth together fit into kDepthBits bits.
  static constexpr std::uint32_t kDeepest = std::min(9, (1 << kDepthBits) - 1 - kRows - kColumns);

  // Resets the array, which discards the current tile. The next tile's operands are then in the first half of
  // the buffer.
  void reset() {
    array_->start_i = 0;
    array_.reset();
    current_ = nullptr;
    halves_ = {};
    started_ = done_;
    fresh_ = true;
  }

  // Offers the next tile, usually immediately after the previous one and sometimes after a pause.
  void offer(int tiles) {
    array_->start_i = 0;
    if (started_ < tiles && random_.percent(80)) {
      next_ = {1 + random_.below(kRows), 1 + random_.below(kColumns), 1 + random_.below(kDeepest)};
      array_->start_i = 1;
      array_->rows_i = next_[0];
      array_->columns_i = next_[1];
      array_->depth_i = next_[2];
    }
    array_.settle();
  }

  // Supplies the requested operands, and poison on all lanes without a request.
  void answer() {
    for (int i = 0; i < kRows; ++i) {
      float value = std::nanf("");
      if (lane(array_->left_read_o, i, 1) != 0) {
        ASSERT_NE(current_, nullptr);
        value = current_->left.at(i, lane(array_->left_address_o, i, kDepthBits));
      }
      set_half_word(array_->left_data_i, i, half_word(value));
    }
    for (int j = 0; j < kColumns; ++j) {
      float value = std::nanf("");
      if (lane(array_->upper_read_o, j, 1) != 0) {
        ASSERT_NE(current_, nullptr);
        value = current_->upper.at(lane(array_->upper_address_o, j, kDepthBits), j);
      }
      set_half_word(array_->upper_data_i, j, half_word(value));
    }
    array_.settle();
  }

  // Compares the edges of the array and the results of this cycle with the model.
  void compare() {
    using Phase = TileRun<float>::Phase;
    const bool busy = current_ != nullptr;
    ASSERT_EQ(array_->mode_o != 0, busy);
    if (busy) {
      const Phase phase = current_->run->phase();
      ASSERT_EQ(array_->mode_o, phase == Phase::kFill ? 1 : phase == Phase::kStream ? 2 : 3);
      for (int i = 0; i < current_->rows && phase == Phase::kStream; ++i) {
        const bool read = lane(array_->left_read_o, i, 1) != 0;
        const std::uint32_t word = read ? lane(array_->left_data_i, i, 16) : 0;
        ASSERT_EQ(word, half_word(current_->run->left_edge()[static_cast<std::size_t>(i)]));
      }
      const bool upper = phase == Phase::kFill || (kStays && phase == Phase::kStream);
      for (int j = 0; j < current_->columns && upper; ++j) {
        const bool read = lane(array_->upper_read_o, j, 1) != 0;
        const std::uint32_t word = read ? lane(array_->upper_data_i, j, 16) : 0;
        ASSERT_EQ(word, half_word(current_->run->upper_edge()[static_cast<std::size_t>(j)]));
      }
      // Except in the first cycle of a tile, the model's registers at the upper edge must equal those of the
      // array.
      for (int j = 0; j < current_->columns && current_->run->cycles() > 0; ++j) {
        const float top = current_->run->array().top()[static_cast<std::size_t>(j)];
        ASSERT_EQ(std::bit_cast<float>(lane(array_->result_data_o, j, 32)), top);
      }
    }
    for (int j = 0; j < kColumns; ++j) {
      if (lane(array_->result_write_o, j, 1) == 0) continue;
      const std::shared_ptr<Tile>& tile = halves_[array_->result_half_o];
      ASSERT_NE(tile, nullptr);
      const std::uint32_t row = lane(array_->result_address_o, j, kDepthBits);
      tile->written.at(row, j) = std::bit_cast<float>(lane(array_->result_data_o, j, 32));
      if (++tile->writes == tile->written.rows() * tile->columns) complete_.push_back(tile);
    }
  }

  void advance() {
    const bool starts = array_->start_i != 0 && array_->ready_o != 0;
    const int half = array_->operand_half_o;
    array_.tick();
    if (current_ != nullptr) {
      ++busy_;
      current_->run->step();
      if (current_->run->phase() == TileRun<float>::Phase::kDone) current_ = nullptr;
    }
    // The model must have written all results of the tiles completed in this cycle.
    for (const auto& tile : complete_) ASSERT_TRUE(tile->written == tile->expected);
    done_ += static_cast<int>(complete_.size());
    complete_.clear();
    if (!starts) return;
    ASSERT_EQ(current_, nullptr) << "a tile was accepted before the previous one was over";
    ASSERT_TRUE(half == 1 || !fresh_) << "the first tile is in the first half";
    fresh_ = false;
    current_ = std::make_shared<Tile>(kDataflow, next_[0], next_[1], next_[2], random_, random_.one_in(3),
                                      kPeLatency);
    const std::shared_ptr<Tile>& before = halves_[1 - half];
    ASSERT_TRUE(before == nullptr || before->writes == before->written.rows() * before->columns);
    halves_[1 - half] = current_;
    ++started_;
  }

  Clocked<Block> array_;
  Stimulus random_;
  std::array<std::uint32_t, 3> next_{};
  std::shared_ptr<Tile> current_;
  std::array<std::shared_ptr<Tile>, 2> halves_;
  std::vector<std::shared_ptr<Tile>> complete_;  // tiles that were completed in this cycle
  int started_ = 0;
  int done_ = 0;
  std::int64_t busy_ = 0;
  bool fresh_ = true;  // no tile has been accepted since the reset
};

TEST(SystolicArray, KeepsOutputsStationaryLikeTheModel) {
  Bench<Vsystolic_array_os, Dataflow::kOutputStationary, 0> bench(31);
  bench.run(3000);
  EXPECT_GT(bench.busy_cycles(), 3000 * 5);
}

TEST(SystolicArray, KeepsWeightsStationaryLikeTheModel) {
  Bench<Vsystolic_array_ws, Dataflow::kWeightStationary, 0> bench(32);
  bench.run(3000);
  EXPECT_GT(bench.busy_cycles(), 3000 * 5);
}

// Arrays with one register per PE have more columns than rows. The sizes of arrays with two registers use
// every bit of the ports.
TEST(SystolicArray, AddsProductsLaterIfItsPesArePipelined) {
  const auto run = [](auto bench) {
    bench.run(2000);
    EXPECT_GT(bench.busy_cycles(), 2000 * 6);
  };
  run(Bench<Vsystolic_array_os_1, Dataflow::kOutputStationary, 1, 3, 4>(33));
  run(Bench<Vsystolic_array_ws_1, Dataflow::kWeightStationary, 1, 3, 4>(34));
  run(Bench<Vsystolic_array_os_2, Dataflow::kOutputStationary, 2, 5, 4, 4>(35));
  run(Bench<Vsystolic_array_ws_2, Dataflow::kWeightStationary, 2, 5, 4, 4>(36));
}

TEST(SystolicArray, DiscardsWorkInProgressAtAReset) {
  Bench<Vsystolic_array_os, Dataflow::kOutputStationary, 0>(37).run(1000, true);
  Bench<Vsystolic_array_ws, Dataflow::kWeightStationary, 0>(38).run(1000, true);
  Bench<Vsystolic_array_os_1, Dataflow::kOutputStationary, 1, 3, 4>(39).run(1000, true);
  Bench<Vsystolic_array_ws_2, Dataflow::kWeightStationary, 2, 5, 4, 4>(40).run(1000, true);
}

}  // namespace
}  // namespace coppice::cosim
