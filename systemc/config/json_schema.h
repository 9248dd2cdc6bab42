#pragma once

#include <nlohmann/json.hpp>

namespace coppice::config {

// JSON Schema (draft 7) of configurations, derived from the declarations of the keys: their types, ranges,
// unit patterns, names, defaults and descriptions. Editors use it to complete and check configurations. It
// checks values one by one; only the loader checks rules between keys.
nlohmann::ordered_json json_schema();

}  // namespace coppice::config
