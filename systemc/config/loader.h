#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "config/settings/loaded.h"

namespace coppice::config {

struct BooksimExperiment;

// Reads a YAML file, or the configuration in a result, applies `overrides` ("key=value", with values in
// YAML), and validates the configuration. Throws ConfigError if a key is unknown (suggesting the nearest
// known one) or missing, or if a value has the wrong type, unit or range. Errors in overrides are located at
// "--set KEY=VALUE:1:col".
Loaded load(const std::string& path, const std::vector<std::string>& overrides, Purpose purpose);

// Like load(), but the configuration is the network of a BookSim2 experiment (config/files/booksim_file.h).
Loaded load_booksim(const std::string& path, const BooksimExperiment& experiment,
                    const std::vector<std::string>& overrides);

// Checks that a configuration loaded for another purpose can be used for this one. Throws ConfigError if a
// key that this purpose requires is missing.
void require_keys(const Loaded& loaded, Purpose purpose);

// Returns every key with its resolved value, in units that a file could contain: the `config` of a result.
// Loading this object as YAML gives the same configuration.
nlohmann::ordered_json to_json(const Config& config);

// Adds to_json() to a result as `config`, followed by the configuration's `warnings` and `assumptions`.
void write_config(const Config& config, nlohmann::ordered_json& result);

}  // namespace coppice::config
