#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"

namespace coppice::system {

// Computes the cost of every pass over every layer of `training.model` on an accelerator. The result has the
// schema "coppice.layers/1". Throws ConfigError.
nlohmann::ordered_json study_layers(const config::Loaded& loaded);

// Formats a layer study as a text table.
std::string summarize_layers(const nlohmann::ordered_json& study);
// Formats a layer study as comma-separated values with a header.
std::string layers_csv(const nlohmann::ordered_json& study);

}  // namespace coppice::system
