#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "Vbf16_multiplier.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

std::uint32_t host_product(std::uint32_t a, std::uint32_t b) {
  const float product = std::bit_cast<float>(a << 16) * std::bit_cast<float>(b << 16);
  return std::isnan(product) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(product);
}

// Values of every class: zero, the smallest and largest subnormal and normal numbers, numbers around 1,
// infinity and NaNs.
constexpr std::uint32_t kSpecial[] = {0x0000, 0x0001, 0x0002, 0x003f, 0x0040, 0x007e, 0x007f, 0x0080,
                                      0x0081, 0x00ff, 0x0100, 0x1f80, 0x2000, 0x3f7f, 0x3f80, 0x3f81,
                                      0x5f80, 0x7e7f, 0x7f00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff};

class Multiplier {
 public:
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) {
    block_.a_i = a;
    block_.b_i = b;
    block_.eval();
    return block_.product_o;
  }

 private:
  VerilatedContext context_;
  Vbf16_multiplier block_{&context_};
};

TEST(Bf16Multiplier, MultipliesSpecialValuesByAllValuesLikeTheHost) {
  Multiplier multiplier;
  for (const std::uint32_t a : kSpecial) {
    for (std::uint32_t b = 0; b < 0x10000; ++b) {
      ASSERT_EQ(multiplier(a, b), host_product(a, b)) << std::hex << a << " * " << b;
      ASSERT_EQ(multiplier(b, a | 0x8000U), host_product(b, a | 0x8000U)) << std::hex << b << " * -" << a;
    }
  }
}

TEST(Bf16Multiplier, MultipliesRandomPairsLikeTheHost) {
  Multiplier multiplier;
  Stimulus random(18);
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint32_t a = random.word() & 0xffffU;
    std::uint32_t b = random.word() & 0xffffU;
    // Chooses half of the operands such that the product is near the subnormal range.
    if (random.one_in(2)) b = (b & 0x807fU) | (((126 - ((a >> 7) & 0xff) - random.below(30)) & 0xffU) << 7);
    ASSERT_EQ(multiplier(a, b), host_product(a, b)) << std::hex << a << " * " << b;
  }
}

}  // namespace
}  // namespace coppice::cosim
