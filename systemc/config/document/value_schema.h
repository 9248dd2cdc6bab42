#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.h"

// JSON Schema (draft 7) of the values that the readers of values.h accept. A schema cannot check the range of
// a quantity with a unit: it checks only the form, and the description states the range.
namespace coppice::config::value_schema {

using Json = nlohmann::ordered_json;

Json integer(std::int64_t lowest, std::int64_t highest);
Json number(double lowest, double highest);
Json flag();
// One of `names`.
Json names(std::span<const std::string> names);
// Names of files and protocols: any scalar that YAML reads as a string or a number.
Json text();
// A number and a unit that `parse`, a function of base/units.h, accepts.
Json quantity(Bytes (*parse)(std::string_view));  // parse_bytes or parse_duration
Json quantity(Bandwidth (*parse)(std::string_view));
Json quantity(Frequency (*parse)(std::string_view));
// A string that matches the whole regular expression.
Json pattern(std::string_view expression);
Json list(Json item, int least = 0, int most = 0);  // most: 0 if unlimited
// A map with no other keys than these; the keys in `required` are mandatory.
Json section(std::vector<std::pair<std::string, Json>> keys, const std::vector<std::string>& required = {});
Json any_of(std::vector<Json> forms);
// Either the word or the other form.
Json or_word(std::string_view word, Json form);

}  // namespace coppice::config::value_schema
