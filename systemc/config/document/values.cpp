#include "config/document/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "config/document/nearest.h"

namespace coppice::config {
namespace {

template <typename Number>
std::optional<Number> to_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string whole_number_between(std::int64_t lowest, std::int64_t highest) {
  if (highest == std::numeric_limits<std::int64_t>::max()) {
    return fmt::format("a whole number, {} or more", lowest);
  }
  return fmt::format("a whole number from {} to {}", lowest, highest);
}

std::string element_path(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

}  // namespace

std::string describe(const Node& value) {
  switch (value.kind) {
    case Node::Kind::kNull:
      return "empty";
    case Node::Kind::kScalar:
      return "'" + value.text + "'";
    case Node::Kind::kList:
      return value.children.empty() ? "an empty list" : "a list";
    case Node::Kind::kMap:
      return "a section";
  }
  return "?";
}

void refuse(const Node& value, std::string_view path, std::string_view expected) {
  throw ConfigError(value.place, fmt::format("{} must be {}, not {}", path, expected, describe(value)));
}

const std::string& read_text(const Node& value, std::string_view path, std::string_view expected) {
  if (value.kind != Node::Kind::kScalar) refuse(value, path, expected);
  return value.text;
}

std::int64_t read_integer(const Node& value, std::string_view path, std::int64_t lowest,
                          std::int64_t highest) {
  const std::string expected = whole_number_between(lowest, highest);
  const auto number = to_number<std::int64_t>(read_text(value, path, expected));
  if (!number || *number < lowest || *number > highest) refuse(value, path, expected);
  return *number;
}

std::uint64_t read_unsigned(const Node& value, std::string_view path) {
  constexpr std::string_view kExpected = "a whole number from 0 to 18446744073709551615";
  const auto number = to_number<std::uint64_t>(read_text(value, path, kExpected));
  if (!number) refuse(value, path, kExpected);
  return *number;
}

double read_number(const Node& value, std::string_view path, double lowest, double highest) {
  const std::string expected = fmt::format("a number from {} to {}", lowest, highest);
  const auto number = to_number<double>(read_text(value, path, expected));
  // This form of the comparison also rejects "nan".
  if (!number || !(*number >= lowest && *number <= highest)) refuse(value, path, expected);
  return *number;
}

bool read_flag(const Node& value, std::string_view path) {
  constexpr std::string_view kExpected = "true or false";
  const std::string& text = read_text(value, path, kExpected);
  constexpr std::array<std::string_view, 3> kTrue{"true", "on", "yes"};
  constexpr std::array<std::string_view, 3> kFalse{"false", "off", "no"};
  if (std::find(kTrue.begin(), kTrue.end(), text) != kTrue.end()) return true;
  if (std::find(kFalse.begin(), kFalse.end(), text) != kFalse.end()) return false;
  refuse(value, path, kExpected);
}

std::string read_name(const Node& value, std::string_view path, std::span<const std::string> names) {
  std::string expected;
  for (std::size_t i = 0; i < names.size(); ++i) {
    expected += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  }
  const std::string& text = read_text(value, path, expected);
  if (std::find(names.begin(), names.end(), text) != names.end()) return text;
  const std::string alike = nearest(text, names);
  const auto letters = static_cast<int>(std::min(text.size(), alike.size()));
  const bool likely = edit_distance(text, alike) <= std::min(3, letters - 1);
  throw ConfigError(value.place, fmt::format("{} must be {}, not '{}'{}", path, expected, text,
                                             likely ? fmt::format("; did you mean '{}'?", alike) : ""));
}

std::vector<int> read_integers(const Node& value, std::string_view path, int lowest, int highest,
                               std::string_view example) {
  if (value.kind != Node::Kind::kList || value.children.empty()) {
    refuse(value, path,
           fmt::format("a list of whole numbers from {} to {}, for example {}", lowest, highest,
                       example.empty() ? fmt::format("[{}]", lowest) : std::string(example)));
  }
  std::vector<int> numbers;
  for (const Node& item : value.children) {
    numbers.push_back(
        static_cast<int>(read_integer(item, element_path(path, numbers.size()), lowest, highest)));
  }
  return numbers;
}

std::vector<int> read_dims(const Node& value, std::string_view path, int narrowest, int widest,
                           std::size_t most) {
  const std::string expected =
      fmt::format("the width of each dimension, from {} to {}, for example [8, 8] or 8x8", narrowest, widest);
  std::vector<int> dims;
  if (value.kind == Node::Kind::kScalar) {
    std::size_t begin = 0;
    while (begin <= value.text.size()) {
      const std::size_t end = std::min(value.text.find('x', begin), value.text.size());
      const auto width = to_number<int>(std::string_view(value.text).substr(begin, end - begin));
      if (!width || *width < narrowest || *width > widest) refuse(value, path, expected);
      dims.push_back(*width);
      begin = end + 1;
    }
  } else {
    if (value.kind != Node::Kind::kList || value.children.empty()) refuse(value, path, expected);
    dims = read_integers(value, path, narrowest, widest);
  }
  if (dims.size() > most) {
    throw ConfigError(value.place,
                      fmt::format("{} has {} dimensions: at most {} are possible", path, dims.size(), most));
  }
  return dims;
}

}  // namespace coppice::config
