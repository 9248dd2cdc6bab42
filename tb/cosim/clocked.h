#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <verilated.h>

#include "cosim/verilated/coverage.h"

namespace coppice::cosim {

// A Verilated block with a clock: within a cycle, set inputs, settle(), compare outputs, tick().
template <typename Block>
class Clocked {
 public:
  Clocked() : context_(std::make_unique<VerilatedContext>()), block_(context_.get()) { reset(); }
  ~Clocked() {
    block_.final();
    // The first few instances write waveforms; each needs a file.
    if (number_ < 20) write_coverage(*context_);
  }

  Block* operator->() { return &block_; }
  void settle() { block_.eval(); }
  void tick() {
    settle();  // the clock was low
    block_.clk_i = 1;
    block_.eval();
    block_.clk_i = 0;
  }
  // A cycle of reset with the current inputs.
  void reset() {
    block_.rst_ni = 0;
    settle();
    tick();
    block_.rst_ni = 1;
  }

 private:
  static int next_number() {
    static int number = 0;
    return number++;
  }

  std::unique_ptr<VerilatedContext> context_;
  Block block_;
  int number_ = next_number();
};

// Random stimulus with a fixed seed.
class Stimulus {
 public:
  explicit Stimulus(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(engine_() % bound); }
  std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  bool percent(std::uint32_t p) { return below(100) < p; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace coppice::cosim
