#include "base/bits.h"

#include <gtest/gtest.h>

namespace coppice::schedule {
namespace {

TEST(Bits, SetsAcrossWords) {
  std::vector<std::uint64_t> a(3, 0);
  std::vector<std::uint64_t> b(3, 0);
  Bits left(a.data(), a.size());
  Bits right(b.data(), b.size());
  left.insert(0);
  left.insert(130);
  right.insert(64);
  EXPECT_EQ(left.first_common(right), -1);
  EXPECT_EQ(ConstBits(left).first_missing_of(right), 64);
  left.insert_all(right);
  EXPECT_TRUE(ConstBits(left).contains(64));
  EXPECT_EQ(left.first_common(right), 64);
  EXPECT_EQ(ConstBits(left).first_missing_of(right), -1);
  right.assign(left);
  EXPECT_EQ(ConstBits(left), ConstBits(right));
  right.clear();
  EXPECT_TRUE(ConstBits(right).empty());
  EXPECT_EQ(words_of(64), 1U);
  EXPECT_EQ(words_of(65), 2U);
}

}  // namespace
}  // namespace coppice::schedule
