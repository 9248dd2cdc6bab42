#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/units.h"
#include "config/document/document.h"
#include "config/document/nearest.h"
#include "config/document/value_schema.h"
#include "config/document/values.h"

// Readers for keys whose values are lists of maps.
namespace coppice::config {

// Returns the elements of a list, which may be empty. If `value` is not a list, throws a ConfigError that
// shows the `expected` form.
inline const std::vector<Node>& read_list(const Node& value, std::string_view path,
                                          std::string_view expected) {
  if (value.kind != Node::Kind::kList) refuse(value, path, expected);
  return value.children;
}

inline std::string element(const std::string& path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

inline constexpr Femtoseconds kLongestDuration = 1000 * kFemtosecondsPerSecond;

inline Femtoseconds read_duration(const Node& value, const std::string& path) {
  return read_quantity(value, path, parse_duration, format_duration, Femtoseconds{0}, kLongestDuration);
}

inline nlohmann::ordered_json duration_schema() {
  return value_schema::quantity(parse_duration);
}

// A field that each map in the list may have.
template <typename Entry>
struct Field {
  std::string name;
  nlohmann::ordered_json schema;  // JSON Schema of the field's values
  void (*read)(const Node&, const std::string&, Entry&);
};

template <typename Entry>
using Fields = std::vector<Field<Entry>>;

// JSON Schema of a list of maps with these fields.
template <typename Entry>
nlohmann::ordered_json entries_schema(const Fields<Entry>& fields, const std::vector<std::string>& required,
                                      int least = 0) {
  std::vector<std::pair<std::string, nlohmann::ordered_json>> keys;
  for (const Field<Entry>& field : fields) keys.emplace_back(field.name, field.schema);
  return value_schema::list(value_schema::section(std::move(keys), required), least);
}

// Reads one map of the list. Throws ConfigError, located at the field, if a field is unknown.
template <typename Entry>
Entry read_entry(const Node& value, const std::string& path, const Fields<Entry>& fields,
                 const std::string& expected) {
  if (value.kind != Node::Kind::kMap) refuse(value, path, expected);
  Entry entry;
  for (const Node& child : value.children) {
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == child.name; });
    if (field == fields.end()) {
      std::vector<std::string> names;
      for (const auto& known : fields) names.push_back(known.name);
      throw ConfigError(child.name_place, fmt::format("unknown key '{}.{}'; did you mean '{}.{}'?", path,
                                                      child.name, path, nearest(child.name, names)));
    }
    field->read(child, path + "." + child.name, entry);
  }
  return entry;
}

}  // namespace coppice::config
