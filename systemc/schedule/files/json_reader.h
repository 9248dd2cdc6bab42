#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_position.h"

namespace coppice::schedule {

constexpr std::int64_t kMostInt32 = std::numeric_limits<std::int32_t>::max();

// A name in a file and the value that it stands for.
template <typename T>
struct Named {
  const char* name;
  T value;
};
template <typename T>
Named(const char*, T) -> Named<T>;

// A value of a JSON file and its location (RFC 6901).
struct JsonValue {
  const nlohmann::json& json_value;
  std::string pointer;
};

// A base class for reading values of required types from a JSON file. If the file is invalid, all functions
// throw ConfigError with the position of the fault.
class JsonReader {
 protected:
  using Value = JsonValue;

  // Both arguments must outlive the reader.
  JsonReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  // Parses the whole file. Rejects invalid JSON, and objects that contain a key twice.
  nlohmann::json parse() const;

  const std::string& file() const { return file_; }

  [[noreturn]] void refuse(const Value& value, const std::string& what) const {
    throw ConfigError(locate(text_, file_, value.pointer),
                      fmt::format("{}: {}", value.pointer.empty() ? "the file" : value.pointer, what));
  }

  void require_keys(const Value& object, std::initializer_list<const char*> known) const {
    if (!object.json_value.is_object()) refuse(object, "must be an object");
    for (const auto& item : object.json_value.items()) {
      const bool is_known = std::ranges::any_of(known, [&](const char* name) { return item.key() == name; });
      if (!is_known) {
        refuse({item.value(), object.pointer + "/" + item.key()},
               fmt::format("unknown key; known keys: {}", fmt::join(known, ", ")));
      }
    }
  }
  Value field(const Value& object, const std::string& name) const {
    const auto at = object.json_value.find(name);
    if (at == object.json_value.end()) refuse(object, fmt::format("'{}' is missing", name));
    return {*at, object.pointer + "/" + name};
  }
  Value element(const Value& list, std::size_t index) const {
    return {list.json_value[index], fmt::format("{}/{}", list.pointer, index)};
  }
  Value list(const Value& object, const std::string& name) const { return as_list(field(object, name)); }
  Value as_list(Value value) const {
    if (!value.json_value.is_array()) refuse(value, "must be a list");
    return value;
  }
  std::int64_t integer(const Value& value, std::int64_t least, std::int64_t most) const {
    const bool fits = value.json_value.is_number_integer() &&
                      (!value.json_value.is_number_unsigned() ||
                       value.json_value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)) &&
                      value.json_value.get<std::int64_t>() >= least &&
                      value.json_value.get<std::int64_t>() <= most;
    if (!fits) {
      refuse(value, fmt::format("must be a whole number from {} to {}, not {}", least, most,
                                value.json_value.dump()));
    }
    return value.json_value.get<std::int64_t>();
  }
  std::int32_t int32(const Value& value, std::int64_t least) const {
    return static_cast<std::int32_t>(integer(value, least, kMostInt32));
  }
  bool flag(const Value& value) const {
    if (!value.json_value.is_boolean()) refuse(value, "must be true or false");
    return value.json_value.get<bool>();
  }
  std::string text(const Value& value) const {
    if (!value.json_value.is_string()) refuse(value, "must be a string");
    return value.json_value.get<std::string>();
  }
  template <typename T, std::size_t n>
  T one_of(const Value& value, const std::array<Named<T>, n>& names) const {
    const std::string word = text(value);
    std::string known;
    for (const auto& named : names) {
      if (word == named.name) return named.value;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", named.name);
    }
    refuse(value, fmt::format("'{}' is not one of {}", word, known));
  }

 private:
  void require_text() const;

  std::string_view text_;
  const std::string& file_;
};

}  // namespace coppice::schedule
