#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.h"

// JSON Schema (draft 7) for the values that the readers of values.h accept. For a quantity with a unit, the
// schema checks only the form, since it cannot check the range; the description states the range.
namespace coppice::config::value_schema {

using Json = nlohmann::ordered_json;

Json integer(std::int64_t lowest, std::int64_t highest);
Json number(double lowest, double highest);
Json flag();
// A string that must be one of `names`.
Json names(std::span<const std::string> names);
// Any scalar that YAML reads as a string or a number, for the names of files and protocols.
Json text();
// A number with a unit, in a form that `parse`, a function of base/units.h, accepts.
Json quantity(Bytes (*parse)(std::string_view));  // parse_bytes or parse_duration
Json quantity(Bandwidth (*parse)(std::string_view));
Json quantity(Frequency (*parse)(std::string_view));
// A string that matches the regular expression as a whole.
Json pattern(std::string_view expression);
Json list(Json item, int least = 0, int most = 0);  // most: 0 if there is no limit
// A map that may have only these keys, and must have those in `required`.
Json section(std::vector<std::pair<std::string, Json>> keys, const std::vector<std::string>& required = {});
Json any_of(std::vector<Json> forms);
// Either the given word, or a value of the given form.
Json or_word(std::string_view word, Json form);

}  // namespace coppice::config::value_schema
