#pragma once

#include <nlohmann/json.hpp>

namespace coppice::config {

// JSON Schema (draft 7) of configurations, from the declarations of the keys: types, ranges, unit patterns,
// names, defaults and descriptions. Editors complete and check configurations with it. It checks values one
// by one; rules between keys are left to the loader.
nlohmann::ordered_json json_schema();

}  // namespace coppice::config
