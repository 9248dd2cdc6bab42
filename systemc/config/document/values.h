#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/document/document.h"

// Readers of single values. If a value is invalid, they throw a ConfigError located at the value, with a
// message that states what the key `path` must be, and what was found instead.
namespace coppice::config {

// Describes a value for messages: its text in quotes, "a list", "a section" or "empty".
std::string describe(const Node& value);

[[noreturn]] void refuse(const Node& value, std::string_view path, std::string_view expected);

// The text of a scalar. If the value is not a scalar, the error message states that it must be `expected`.
const std::string& read_text(const Node& value, std::string_view path, std::string_view expected);

std::int64_t read_integer(const Node& value, std::string_view path, std::int64_t lowest,
                          std::int64_t highest);
std::uint64_t read_unsigned(const Node& value, std::string_view path);
double read_number(const Node& value, std::string_view path, double lowest, double highest);
bool read_flag(const Node& value, std::string_view path);

// Reads a value that must be one of `names`. The error message suggests the nearest name.
std::string read_name(const Node& value, std::string_view path, std::span<const std::string> names);

// Reads a list of whole numbers. The error message shows `example`, or [`lowest`] if `example` is empty.
std::vector<int> read_integers(const Node& value, std::string_view path, int lowest, int highest,
                               std::string_view example = {});
// Like read_integers(), but also accepts a form like "8x8", or a single number.
std::vector<int> read_dims(const Node& value, std::string_view path, int narrowest, int widest,
                           std::size_t most);

// Reads a quantity from `lowest` to `highest`, given as a number with a unit. `parse` and `format` are
// functions of base/units.h.
template <typename Quantity>
Quantity read_quantity(const Node& value, std::string_view path, Quantity (*parse)(std::string_view),
                       std::string (*format)(Quantity), Quantity lowest, Quantity highest) {
  const std::string range = fmt::format("from {} to {}", format(lowest), format(highest));
  const std::string& text = read_text(value, path, range);
  Quantity result{};
  try {
    result = parse(text);
  } catch (const std::invalid_argument& error) {
    throw ConfigError(value.place, fmt::format("{}: {}", path, error.what()));
  }
  if (result < lowest || result > highest) refuse(value, path, range);
  return result;
}

}  // namespace coppice::config
