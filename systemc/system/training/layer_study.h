#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"

namespace coppice::system {

// The cost of each layer of `training.model` on an accelerator, pass by pass: coppice.layers/1. Throws
// ConfigError.
nlohmann::ordered_json study_layers(const config::Loaded& loaded);

// A study as a text table; below, as comma-separated values with a header.
std::string summarize_layers(const nlohmann::ordered_json& study);
std::string layers_csv(const nlohmann::ordered_json& study);

}  // namespace coppice::system
