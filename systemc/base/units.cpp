#include "base/units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.h"
#include "base/unit_names.h"

namespace coppice {
namespace {

__extension__ using Wide = unsigned __int128;

// A unit relative to the smallest unit of its family: numerator / denominator (one bit per second is 1/8 byte
// per second).
struct Unit {
  std::string_view name;
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;
  bool used_for_output = true;
};

// The units of one quantity, in ascending order.
struct UnitFamily {
  std::string_view name;
  std::string_view example;
  std::string_view smallest;
  std::string_view zero;
  std::span<const Unit> units;
};

constexpr std::uint64_t kKilo = 1'000;
constexpr std::uint64_t kMega = 1'000'000;
constexpr std::uint64_t kGiga = 1'000'000'000;
constexpr std::uint64_t kTera = 1'000'000'000'000;
constexpr std::uint64_t kPeta = 1'000'000'000'000'000;
constexpr std::uint64_t kKibi = 1ULL << 10;
constexpr std::uint64_t kMebi = 1ULL << 20;
constexpr std::uint64_t kGibi = 1ULL << 30;
constexpr std::uint64_t kTebi = 1ULL << 40;

constexpr std::array<Unit, 9> kByteUnits{{{"B"},
                                          {"kB", kKilo},
                                          {"KiB", kKibi},
                                          {"MB", kMega},
                                          {"MiB", kMebi},
                                          {"GB", kGiga},
                                          {"GiB", kGibi},
                                          {"TB", kTera},
                                          {"TiB", kTebi}}};

constexpr std::array<Unit, 13> kBandwidthUnits{{{"b/s", 1, 8, false},
                                                {"B/s"},
                                                {"kb/s", kKilo, 8, false},
                                                {"kB/s", kKilo},
                                                {"KiB/s", kKibi, 1, false},
                                                {"Mb/s", kMega, 8, false},
                                                {"MB/s", kMega},
                                                {"MiB/s", kMebi, 1, false},
                                                {"Gb/s", kGiga, 8, false},
                                                {"GB/s", kGiga},
                                                {"GiB/s", kGibi, 1, false},
                                                {"Tb/s", kTera, 8, false},
                                                {"TB/s", kTera}}};

constexpr std::array<Unit, 7> kDurationUnits{{{"fs"},
                                              {"ps", kKilo},
                                              {"ns", kMega},
                                              {"us", kGiga},
                                              {"\u00b5s", kGiga, 1, false},
                                              {"ms", kTera},
                                              {"s", kPeta}}};

constexpr std::array<Unit, 4> kFrequencyUnits{{{"Hz"}, {"kHz", kKilo}, {"MHz", kMega}, {"GHz", kGiga}}};

constexpr UnitFamily kBytes{"size", "64 KiB", "one byte", "0 B", kByteUnits};
constexpr UnitFamily kBandwidth{"bandwidth", "16 GB/s", "one byte per second", "0 B/s", kBandwidthUnits};
constexpr UnitFamily kDuration{"duration", "150 ns", "one femtosecond", "0 ns", kDurationUnits};
constexpr UnitFamily kFrequency{"frequency", "1 GHz", "one hertz", "0 Hz", kFrequencyUnits};

[[noreturn]] void refuse(const UnitFamily& quantity, std::string_view text, const std::string& reason) {
  throw std::invalid_argument(
      fmt::format("'{}' is not a {}: {}; for example '{}'", text, quantity.name, reason, quantity.example));
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

const Unit& find_unit(const UnitFamily& quantity, std::string_view text, std::string_view name) {
  std::string known;
  std::string alike;
  for (const Unit& unit : quantity.units) {
    if (unit.name == name) return unit;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", unit.name);
    if (equal_but_for_case(unit.name, name))
      alike += fmt::format("{}'{}'", alike.empty() ? "" : " or ", unit.name);
  }
  if (name.empty()) refuse(quantity, text, "it needs a unit (" + known + ")");
  if (!alike.empty())
    refuse(quantity, text, fmt::format("units are case-sensitive, and '{}' may mean {}", name, alike));
  refuse(quantity, text, fmt::format("its unit '{}' is not one of {}", name, known));
}

// A decimal number without sign or exponent. Its value is digits / 10^decimals.
struct Decimal {
  std::uint64_t digits = 0;
  int decimals = 0;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Parses a decimal number. Returns nullopt if its digits do not fit into 64 bits.
std::optional<Decimal> read_decimal(std::string_view whole, std::string_view fraction) {
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  Decimal result;
  for (const std::string_view part : {whole, fraction}) {
    for (const char c : part) {
      const auto digit = static_cast<std::uint64_t>(c - '0');
      if (result.digits > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
      result.digits = result.digits * 10 + digit;
    }
  }
  result.decimals = static_cast<int>(fraction.size());
  // With more decimals, the value would be a fraction of the smallest unit, whichever unit is used. In
  // addition, 10^20 would not fit into 64 bits.
  if (result.decimals > 18) return std::nullopt;
  return result;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::int64_t parse(const UnitFamily& quantity, std::string_view original) {
  const std::string_view text = trim(original);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    refuse(quantity, original, "it must not have a sign");
  }
  const std::size_t whole_end = skip_digits(text, 0);
  std::size_t end = whole_end;
  std::string_view fraction;
  if (end < text.size() && text[end] == '.') {
    end = skip_digits(text, whole_end + 1);
    fraction = text.substr(whole_end + 1, end - whole_end - 1);
  }
  if (whole_end == 0 || end == whole_end + 1) {
    refuse(quantity, original, "it must be a number followed by a unit");
  }
  const Unit& unit = find_unit(quantity, original, trim(text.substr(end)));
  const auto number = read_decimal(text.substr(0, whole_end), fraction);
  if (!number) refuse(quantity, original, "it has more digits than can be stored exactly");

  Wide divisor = unit.denominator;
  for (int i = 0; i < number->decimals; ++i) divisor *= 10;
  const Wide scaled = static_cast<Wide>(number->digits) * unit.numerator;
  if (scaled % divisor != 0) {
    refuse(quantity, original, fmt::format("it is not a whole multiple of {}", quantity.smallest));
  }
  const Wide value = scaled / divisor;
  if (value > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) {
    refuse(quantity, original, "it is too large");
  }
  return static_cast<std::int64_t>(value);
}

// Returns value / unit as a decimal number, or an empty string if that takes more than `limit` characters.
std::string exact_decimal(std::uint64_t value, std::uint64_t unit, std::size_t limit) {
  std::string text = std::to_string(value / unit);
  std::uint64_t rest = value % unit;
  if (rest != 0) text += '.';
  while (rest != 0 && text.size() <= limit) {
    const Wide scaled = static_cast<Wide>(rest) * 10;
    text += static_cast<char>('0' + static_cast<int>(scaled / unit));
    rest = static_cast<std::uint64_t>(scaled % unit);
  }
  return text.size() <= limit ? text : std::string();
}

std::string format(const UnitFamily& quantity, std::int64_t value) {
  if (value == 0) return std::string(quantity.zero);
  const bool negative = value < 0;
  const std::uint64_t magnitude =
      negative ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  std::string shortest;
  for (const Unit& unit : quantity.units) {
    if (!unit.used_for_output || magnitude < unit.numerator) continue;
    const std::size_t overhead = 1 + unit.name.size();
    const std::size_t limit =
        shortest.empty() ? 64 : shortest.size() - std::min(shortest.size(), overhead + 1);
    const std::string number = exact_decimal(magnitude, unit.numerator, limit);
    if (!number.empty()) shortest = fmt::format("{} {}", number, unit.name);
  }
  return negative ? "-" + shortest : shortest;
}

std::vector<std::string_view> names_of(const UnitFamily& quantity) {
  std::vector<std::string_view> names;
  for (const Unit& unit : quantity.units) names.push_back(unit.name);
  return names;
}

}  // namespace

std::vector<std::string_view> bytes_units() {
  return names_of(kBytes);
}
std::vector<std::string_view> bandwidth_units() {
  return names_of(kBandwidth);
}
std::vector<std::string_view> duration_units() {
  return names_of(kDuration);
}
std::vector<std::string_view> frequency_units() {
  return names_of(kFrequency);
}

Bytes parse_bytes(std::string_view text) {
  return parse(kBytes, text);
}
Bandwidth parse_bandwidth(std::string_view text) {
  return {parse(kBandwidth, text)};
}
Femtoseconds parse_duration(std::string_view text) {
  return parse(kDuration, text);
}
Frequency parse_frequency(std::string_view text) {
  return {parse(kFrequency, text)};
}

std::string format_bytes(Bytes bytes) {
  return format(kBytes, bytes);
}
std::string format_bandwidth(Bandwidth bandwidth) {
  return format(kBandwidth, bandwidth.bytes_per_second);
}
std::string format_duration(Femtoseconds time) {
  return format(kDuration, time);
}
std::string format_frequency(Frequency frequency) {
  return format(kFrequency, frequency.hertz);
}

Femtoseconds transfer_time(Bytes bytes, Bandwidth bandwidth) {
  if (bytes < 0 || bandwidth.bytes_per_second <= 0) {
    throw std::invalid_argument(fmt::format("the time of a transfer of {} at {} is undefined",
                                            format_bytes(bytes), format_bandwidth(bandwidth)));
  }
  const auto rate = static_cast<Wide>(bandwidth.bytes_per_second);
  const Wide time = (static_cast<Wide>(bytes) * static_cast<Wide>(kFemtosecondsPerSecond) + rate - 1) / rate;
  if (time > static_cast<Wide>(kLongestTime)) {
    throw TimeLimitError(
        fmt::format("the transfer of {} at {}", format_bytes(bytes), format_bandwidth(bandwidth)));
  }
  return static_cast<Femtoseconds>(time);
}

}  // namespace coppice
