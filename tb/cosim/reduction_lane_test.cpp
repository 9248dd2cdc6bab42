#include <array>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "Vreduction_lane.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

std::uint32_t fp32(std::uint32_t a, std::uint32_t b) {
  const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  return std::isnan(sum) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(sum);
}

// The reference for bf16: adds in double precision and then rounds once. bf16 exponents range from 2^-133 to
// 2^127, so the sum in double precision is exact, or the smaller operand is too small to affect more than the
// sticky bit.
std::uint32_t bf16(std::uint32_t a, std::uint32_t b) {
  const double sum = double{std::bit_cast<float>(a << 16)} + double{std::bit_cast<float>(b << 16)};
  if (std::isnan(sum)) return 0x7fc0;
  const float low = static_cast<float>(sum);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(low);
  if (std::isinf(low)) return bits >> 16;
  // Rounds to the nearer of the two bf16 values around the sum, or to the even one in a tie.
  const double below = std::bit_cast<float>(bits & 0xffff0000U);
  const std::uint32_t next = (bits >> 16) + 1;
  const double above = (next & 0x7fff) == 0x7f80
                           ? std::copysign(std::ldexp(1.0, 128), below == 0 ? sum : below)
                           : double{std::bit_cast<float>(next << 16)};
  const double to_below = std::abs(sum - below);
  const double to_above = std::abs(above - sum);
  const bool up = to_above < to_below || (to_above == to_below && (next & 1) == 0);
  return (up ? next : next - 1) & 0xffff;
}

std::uint32_t expected(unsigned type, std::uint32_t a, std::uint32_t b) {
  if (type == 0) return fp32(a, b);
  if (type == 1) return bf16(a >> 16, b >> 16) << 16 | bf16(a & 0xffff, b & 0xffff);
  return a + b;
}

TEST(ReductionLane, AddsEveryTypeLikeTheHostWithOneResultPerCycle) {
  for (unsigned type = 0; type < 3; ++type) {
    VerilatedContext context;
    Vreduction_lane lane(&context);
    Stimulus random(17 + type);
    lane.type_i = type;
    struct Place {
      bool valid = false;
      std::uint32_t a = 0, b = 0;
    };
    std::array<Place, 3> pipe{};
    for (int cycle = 0; cycle < 100'000; ++cycle) {
      pipe = {Place{random.percent(80), random.word(), random.word()}, pipe[0], pipe[1]};
      if (random.percent(50)) {  // makes the exponents similar
        pipe[0].b = (pipe[0].b & 0x80ff80ffU) | (pipe[0].a & 0x7f007f00U);
      }
      lane.clk_i = 0;
      lane.valid_i = pipe[0].valid;
      lane.next_i = pipe[1].valid;
      lane.a_i = pipe[0].a;
      lane.b_i = pipe[0].b;
      lane.eval();
      if (pipe[2].valid) {
        ASSERT_EQ(lane.sum_o, expected(type, pipe[2].a, pipe[2].b))
            << "type " << type << std::hex << ": " << pipe[2].a << " + " << pipe[2].b;
      } else if (type < 2 && cycle >= 2) {
        ASSERT_EQ(lane.sum_o, 0U) << "type " << type << ": the sum of nothing";
      }
      lane.clk_i = 1;
      lane.eval();
    }
  }
}

}  // namespace
}  // namespace coppice::cosim
