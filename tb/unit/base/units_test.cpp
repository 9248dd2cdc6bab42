#include "base/units.h"
#include "base/time_limit.h"

#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace coppice {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

template <typename Parse>
void expect_refused(Parse parse, const char* text, const char* reason) {
  EXPECT_THAT([&] { parse(text); }, ThrowsMessage<std::invalid_argument>(
                                        AllOf(HasSubstr(reason), HasSubstr(text), HasSubstr("for example"))))
      << text;
}

TEST(Units, ReadsSizesWithBinaryAndDecimalPrefixes) {
  EXPECT_EQ(parse_bytes("64 KiB"), 65536);
  EXPECT_EQ(parse_bytes("64KiB"), 65536);
  EXPECT_EQ(parse_bytes("1.5 MiB"), 1572864);
  EXPECT_EQ(parse_bytes("100 MB"), 100'000'000);
  EXPECT_EQ(parse_bytes("2 GiB"), std::int64_t{2} << 30);
  EXPECT_EQ(parse_bytes("1.0 B"), 1);
  EXPECT_EQ(parse_bytes("0 B"), 0);
}

TEST(Units, ReadsBandwidthsInBytesAndBits) {
  EXPECT_EQ(parse_bandwidth("16 GB/s").bytes_per_second, 16'000'000'000);
  EXPECT_EQ(parse_bandwidth("100 Gb/s").bytes_per_second, 12'500'000'000);
  EXPECT_EQ(parse_bandwidth("8 b/s").bytes_per_second, 1);
  EXPECT_EQ(parse_bandwidth("1 MiB/s").bytes_per_second, 1'048'576);
}

TEST(Units, ReadsDurationsDownToAFemtosecond) {
  EXPECT_EQ(parse_duration("150 ns"), 150'000'000);
  EXPECT_EQ(parse_duration("0.000001 ns"), 1);
  EXPECT_EQ(parse_duration("3.4 us"), 3'400'000'000);
  EXPECT_EQ(parse_duration("3.4 \u00b5s"), 3'400'000'000);
  EXPECT_EQ(parse_duration("1 s"), kFemtosecondsPerSecond);
}

TEST(Units, ReadsFrequencies) {
  EXPECT_EQ(parse_frequency("1 GHz").hertz, 1'000'000'000);
  EXPECT_EQ(parse_frequency("1.25GHz").hertz, 1'250'000'000);
  EXPECT_EQ(parse_frequency("1 GHz").period(), 1'000'000);
  EXPECT_EQ(parse_frequency("3 GHz").period(), 333'333);
}

TEST(Units, RejectsTextThatIsNotANumberWithAUnit) {
  expect_refused(parse_bytes, "", "number followed by a unit");
  expect_refused(parse_bytes, "KiB", "number followed by a unit");
  expect_refused(parse_bytes, ".5 KiB", "number followed by a unit");
  expect_refused(parse_bytes, "5. KiB", "number followed by a unit");
  expect_refused(parse_bytes, "-4 KiB", "must not have a sign");
  expect_refused(parse_bytes, "+4 KiB", "must not have a sign");
  expect_refused(parse_bytes, "64", "needs a unit (B, kB, KiB");
  expect_refused(parse_bytes, "64 ns", "'ns' is not one of");
  expect_refused(parse_bytes, "1e3 B", "'e3 B' is not one of");
  expect_refused(parse_bytes, "64 KB", "may mean 'kB'");
  expect_refused(parse_bandwidth, "16 gb/s", "may mean 'Gb/s' or 'GB/s'");
  expect_refused(parse_bandwidth, "16 GB", "'GB' is not one of");
  expect_refused(parse_duration, "150 cycles", "'cycles' is not one of");
  expect_refused(parse_frequency, "1 ns", "'ns' is not one of");
}

TEST(Units, RejectsValuesThatCannotBeExact) {
  expect_refused(parse_bytes, "0.5 B", "whole multiple of one byte");
  expect_refused(parse_bytes, "1.0001 KiB", "whole multiple of one byte");
  expect_refused(parse_bandwidth, "1 b/s", "whole multiple of one byte per second");
  expect_refused(parse_duration, "0.1 fs", "whole multiple of one femtosecond");
  expect_refused(parse_bytes, "9223372036854775808 B", "too large");
  expect_refused(parse_duration, "9224 s", "too large");
  expect_refused(parse_bytes, "99999999999999999999999 B", "more digits");
  expect_refused(parse_bytes, "0.00000000000000000000001 TiB", "more digits");
  EXPECT_EQ(parse_bytes("9223372036854775807 B"), kLargest);
}

TEST(Units, WritesTheShortestExactText) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(256), "256 B");
  EXPECT_EQ(format_bytes(1000), "1 kB");
  EXPECT_EQ(format_bytes(1 << 20), "1 MiB");
  EXPECT_EQ(format_bytes(1537), "1537 B");
  EXPECT_EQ(format_bytes(-1024), "-1 KiB");
  EXPECT_EQ(format_bandwidth({16'000'000'000}), "16 GB/s");
  EXPECT_EQ(format_bandwidth({12'500'000'000}), "12.5 GB/s");
  EXPECT_EQ(format_duration(150'000'000), "150 ns");
  EXPECT_EQ(format_duration(0), "0 ns");
  EXPECT_EQ(format_duration(1), "1 fs");
  EXPECT_EQ(format_duration(3'400'000'000), "3.4 us");
  EXPECT_EQ(format_frequency({1'200'000'000}), "1.2 GHz");
}

// Random quantities of all magnitudes, including round numbers.
rc::Gen<std::int64_t> quantities() {
  const auto any =
      rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange(1, 64)),
                   [](const auto& drawn) { return static_cast<std::int64_t>(drawn.first >> drawn.second); });
  const auto round_number = rc::gen::map(rc::gen::tuple(rc::gen::inRange<std::int64_t>(0, 100'000),
                                                        rc::gen::inRange(0, 13), rc::gen::arbitrary<bool>()),
                                         [](const auto& drawn) {
                                           std::int64_t value = std::get<0>(drawn);
                                           for (int i = 0; i < std::get<1>(drawn); ++i)
                                             value *= std::get<2>(drawn) ? 10 : 2;
                                           return value;
                                         });
  return rc::gen::oneOf(any, round_number);
}

RC_GTEST_PROP(Units, ParsingUndoesFormatting, ()) {
  const std::int64_t value = *quantities();
  RC_ASSERT(parse_bytes(format_bytes(value)) == value);
  RC_ASSERT(parse_bandwidth(format_bandwidth({value})).bytes_per_second == value);
  RC_ASSERT(parse_duration(format_duration(value)) == value);
  RC_ASSERT(parse_frequency(format_frequency({value})).hertz == value);
}

RC_GTEST_PROP(Units, NoTextInTheSmallestUnitIsShorter, ()) {
  const std::int64_t value = *quantities();
  RC_PRE(value > 0);
  RC_ASSERT(format_bytes(value).size() <= std::to_string(value).size() + 2);
}

TEST(TransferTime, IsSizeOverBandwidthRoundedUp) {
  EXPECT_EQ(transfer_time(16, {16'000'000'000}), kFemtosecondsPerNanosecond);
  EXPECT_EQ(transfer_time(1, {3'000'000'000'000'000}), 1);
  EXPECT_EQ(transfer_time(16, {12'000'000'000}), 1'333'334);
  EXPECT_EQ(transfer_time(0, {1}), 0);
  EXPECT_EQ(transfer_time(std::int64_t{1} << 40, {16'000'000'000}), 68'719'476'736'000'000);
}

TEST(TransferTime, RejectsInvalidArgumentsAndOverflow) {
  EXPECT_THROW(transfer_time(16, {0}), std::invalid_argument);
  EXPECT_THROW(transfer_time(-1, {1}), std::invalid_argument);
  EXPECT_THROW(transfer_time(10'000, {1}), TimeLimitError);
}

}  // namespace
}  // namespace coppice
