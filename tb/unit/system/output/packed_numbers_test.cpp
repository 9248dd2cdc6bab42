#include "system/output/packed_numbers.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace coppice::system {
namespace {

std::string packed(std::initializer_list<std::int64_t> numbers) {
  std::string text;
  for (const std::int64_t number : numbers) append_packed(text, number);
  return text;
}

// The expected strings were taken from the source-map format, which uses the same encoding (VLQ).
TEST(PackedNumbers, AreThoseOfSourceMaps) {
  EXPECT_EQ(packed({0, 1, -1, 15, 16, -16, 123, 123456789}), "ACDegBhB2HqxmvrH");
}

}  // namespace
}  // namespace coppice::system
