#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <verilated.h>

#include "cosim/verilated/coverage.h"

namespace coppice::cosim {

// A Verilated block with a clock. In each cycle, a test sets the inputs, calls settle(), compares the outputs
// and calls tick().
template <typename Block>
class Clocked {
 public:
  Clocked() : context_(std::make_unique<VerilatedContext>()), block_(context_.get()) { reset(); }
  ~Clocked() {
    block_.final();
    // Only the first few instances write coverage, because each of them needs a file of its own.
    if (number_ < 20) write_coverage(*context_);
  }

  Block* operator->() { return &block_; }
  void settle() { block_.eval(); }
  void tick() {
    settle();  // updates the outputs while the clock is low
    block_.clk_i = 1;
    block_.eval();
    block_.clk_i = 0;
  }
  // Runs one cycle of reset with the current inputs.
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

// Random stimulus, reproducible from its seed.
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
