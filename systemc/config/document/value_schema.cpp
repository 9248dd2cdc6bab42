#include "config/document/value_schema.h"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/unit_names.h"

namespace coppice::config::value_schema {
namespace {

// A decimal number as base/units.h reads it: without a sign or an exponent, and followed by a unit, with or
// without spaces between them.
Json with_unit(const std::vector<std::string_view>& units) {
  return pattern(fmt::format("[0-9]+(\\.[0-9]+)? *({})", fmt::join(units, "|")));
}

}  // namespace

Json integer(std::int64_t lowest, std::int64_t highest) {
  Json schema{{"type", "integer"}, {"minimum", lowest}};
  if (highest != std::numeric_limits<std::int64_t>::max()) schema["maximum"] = highest;
  return schema;
}

Json number(double lowest, double highest) {
  return {{"type", "number"}, {"minimum", lowest}, {"maximum", highest}};
}

Json flag() {
  return {{"enum", {true, false, "on", "off", "yes", "no"}}};
}

Json names(std::span<const std::string> names) {
  Json schema{{"enum", Json::array()}};
  for (const std::string& name : names) schema["enum"].push_back(name);
  return schema;
}

Json text() {
  return {{"type", {"string", "number"}}};
}

Json quantity(Bytes (*parse)(std::string_view)) {
  return with_unit(parse == parse_duration ? duration_units() : bytes_units());
}

Json quantity(Bandwidth (* /*parse*/)(std::string_view)) {
  return with_unit(bandwidth_units());
}

Json quantity(Frequency (* /*parse*/)(std::string_view)) {
  return with_unit(frequency_units());
}

Json pattern(std::string_view expression) {
  return {{"type", "string"}, {"pattern", fmt::format("^{}$", expression)}};
}

Json list(Json item, int least, int most) {
  Json schema{{"type", "array"}, {"items", std::move(item)}};
  if (least > 0) schema["minItems"] = least;
  if (most > 0) schema["maxItems"] = most;
  return schema;
}

Json section(std::vector<std::pair<std::string, Json>> keys, const std::vector<std::string>& required) {
  Json schema{{"type", "object"}, {"properties", Json::object()}};
  for (auto& [name, value] : keys) schema["properties"][name] = std::move(value);
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

Json any_of(std::vector<Json> forms) {
  Json schema{{"anyOf", Json::array()}};
  for (Json& form : forms) schema["anyOf"].push_back(std::move(form));
  return schema;
}

Json or_word(std::string_view word, Json form) {
  return any_of({Json{{"const", word}}, std::move(form)});
}

}  // namespace coppice::config::value_schema
