#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"

namespace coppice::system {

// The cost of each pass over each layer of `training.model` on an accelerator; schema "coppice.layers/1".
// Throws ConfigError.
nlohmann::ordered_json study_layers(const config::Loaded& loaded);

// Formats a study as a text table.
std::string summarize_layers(const nlohmann::ordered_json& study);
// Formats a study as comma-separated values with a header.
std::string layers_csv(const nlohmann::ordered_json& study);

}  // namespace coppice::system
