#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "Vfp32_adder.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

// A Verilated fp32_adder. The block has no reset, so the test sets the signals of its pipeline stages.
class Adder {
 public:
  // Starts an addition and returns the sum of the operands passed two calls earlier.
  std::uint32_t step(std::uint32_t a, std::uint32_t b) {
    adder_.a_i = a;
    adder_.b_i = b;
    adder_.valid_i = 1;
    adder_.next_i = 1;
    adder_.clk_i = 0;
    adder_.eval();
    const std::uint32_t sum = adder_.sum_o;
    adder_.clk_i = 1;
    adder_.eval();
    return sum;
  }

 private:
  VerilatedContext context_;
  Vfp32_adder adder_{&context_};
};

std::uint32_t host_sum(std::uint32_t a, std::uint32_t b) {
  const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  return std::isnan(sum) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(sum);
}

// Values of every class, which the tests use with both signs: zero, the smallest and largest subnormal and
// normal numbers, infinity, NaNs, and numbers around 1.
constexpr std::uint32_t kSpecial[] = {0x00000000, 0x00000001, 0x00000002, 0x003fffff, 0x00400000, 0x007ffffe,
                                      0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x33800000,
                                      0x33800001, 0x34000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x4b7fffff,
                                      0x4b800000, 0x4c000000, 0x7e7fffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff,
                                      0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff};

// A random operand: a special value, random bits, or a number whose exponent is close to that of `other`, so
// that cancellation and rounding occur together.
std::uint32_t operand(Stimulus& random, std::uint32_t other) {
  switch (random.below(4)) {
    case 0:
      return kSpecial[random.below(std::size(kSpecial))] | (random.word() & 0x80000000U);
    case 1:
      return random.word();
    default: {
      const std::uint32_t near = ((other >> 23) & 0xff) + random.below(60) - 30;
      return (random.word() & 0x807fffffU) | ((near & 0xff) << 23);
    }
  }
}

void compare(std::uint64_t seed, std::int64_t pairs) {
  Adder adder;
  Stimulus random(seed);
  std::uint32_t expected[3] = {0, 0, 0};
  std::uint32_t a[3] = {0, 0, 0};
  std::uint32_t b[3] = {0, 0, 0};
  for (std::int64_t i = 0; i < pairs + 2; ++i) {
    const auto now = static_cast<std::size_t>(i % 3);
    const auto then =
        static_cast<std::size_t>((i + 1) % 3);  // index of the operands passed two calls earlier
    a[now] = operand(random, 0x3f800000);
    b[now] = operand(random, a[now]);
    expected[now] = host_sum(a[now], b[now]);
    const std::uint32_t sum = adder.step(a[now], b[now]);
    if (i >= 2) {
      ASSERT_EQ(sum, expected[then]) << std::hex << a[then] << " + " << b[then];
    }
  }
}

TEST(Fp32Adder, AddsAllSpecialValuesLikeTheHost) {
  Adder adder;
  for (const std::uint32_t a : kSpecial) {
    for (const std::uint32_t b : kSpecial) {
      for (std::uint32_t signs = 0; signs < 4; ++signs) {
        const std::uint32_t x = a | (signs << 31);
        const std::uint32_t y = b | ((signs >> 1) << 31);
        adder.step(x, y);
        adder.step(0, 0);
        ASSERT_EQ(adder.step(0, 0), host_sum(x, y)) << std::hex << x << " + " << y;
      }
    }
  }
}

// COPPICE_ADDER_PAIRS sets the number of pairs; nightly tests use ten million.
TEST(Fp32Adder, AddsRandomPairsLikeTheHost) {
  const char* pairs = std::getenv("COPPICE_ADDER_PAIRS");  // NOLINT(concurrency-mt-unsafe)
  compare(16, pairs == nullptr ? 200'000 : std::atoll(pairs));
}

// The output is nonzero only in the second cycle after an addition has started.
TEST(Fp32Adder, HasNoResultWithoutOperands) {
  VerilatedContext context;
  Vfp32_adder adder{&context};
  Stimulus random(17);
  std::array<bool, 3> valid{};  // whether an addition started in this cycle and in the previous two
  for (int cycle = 0; cycle < 2000; ++cycle) {
    valid = {random.one_in(3), valid[0], valid[1]};
    adder.a_i = adder.b_i = 0x3f800000U | random.below(1 << 23);
    adder.valid_i = valid[0];
    adder.next_i = valid[1];
    adder.clk_i = 0;
    adder.eval();
    if (cycle >= 2) {
      ASSERT_EQ(adder.sum_o != 0, valid[2]) << "cycle " << cycle;
    }
    adder.clk_i = 1;
    adder.eval();
  }
}

}  // namespace
}  // namespace coppice::cosim
