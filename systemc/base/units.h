#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace coppice {

// A whole number of bytes.
using Bytes = std::int64_t;
// A number of periods of `system.clock`.
using Cycles = std::int64_t;
// Simulated time. An int64 can represent up to 9,223 s.
using Femtoseconds = std::int64_t;

inline constexpr Femtoseconds kFemtosecondsPerNanosecond = 1'000'000;
inline constexpr Femtoseconds kFemtosecondsPerSecond = 1'000'000'000'000'000;

// The longest time that can be simulated: the range of Femtoseconds minus a margin for rounding up.
inline constexpr Femtoseconds kLongestTime = 9'223 * kFemtosecondsPerSecond;

// The number of bytes moved per second in one direction. Units are decimal, as is usual for links: 16 GB/s =
// 16e9 B/s.
struct Bandwidth {
  std::int64_t bytes_per_second = 0;
  auto operator<=>(const Bandwidth&) const = default;  // NOLINT(modernize-use-nullptr): its 0
  double gb_per_s() const { return static_cast<double>(bytes_per_second) * 1e-9; }
};

// A number of cycles per second.
struct Frequency {
  std::int64_t hertz = 0;
  auto operator<=>(const Frequency&) const = default;  // NOLINT(modernize-use-nullptr): its 0
  // The clock period. If the frequency does not divide 1e15, the period is rounded to the nearest
  // femtosecond.
  Femtoseconds period() const { return (kFemtosecondsPerSecond + hertz / 2) / hertz; }
};

// Parsers for a number followed by a unit: "64 KiB", "16 GB/s", "100 Gb/s", "150 ns", "1 GHz". The space
// between number and unit is optional. KiB, MiB and GiB are powers of 1024; kB, MB and GB are powers of 1000.
// Each function throws std::invalid_argument, with the reason and an example, if the text has a sign, a
// fraction of the smallest unit or another fault, or if the value overflows.
Bytes parse_bytes(std::string_view text);
Bandwidth parse_bandwidth(std::string_view text);
Femtoseconds parse_duration(std::string_view text);
Frequency parse_frequency(std::string_view text);

// Inverse functions of parse_*. They return the shortest exact string, for resolved configurations and
// messages.
std::string format_bytes(Bytes bytes);
std::string format_bandwidth(Bandwidth bandwidth);
std::string format_duration(Femtoseconds time);
std::string format_frequency(Frequency frequency);

// The serialization time of `bytes` at `bandwidth`, rounded up to a whole femtosecond.
Femtoseconds transfer_time(Bytes bytes, Bandwidth bandwidth);

}  // namespace coppice
