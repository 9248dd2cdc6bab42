#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "config/settings/loaded.h"

namespace coppice::config {

struct BooksimExperiment;

// Reads a YAML file or the configuration of a result, applies `overrides` ("key=value", values in YAML), and
// validates. Throws ConfigError at an unknown key (suggesting the nearest known one), a missing key, or a
// wrong type, unit or value. Overrides are located as "--set KEY=VALUE:1:col".
Loaded load(const std::string& path, const std::vector<std::string>& overrides, Purpose purpose);

// Like load(), for the network of a BookSim2 experiment (config/files/booksim_file.h).
Loaded load_booksim(const std::string& path, const BooksimExperiment& experiment,
                    const std::vector<std::string>& overrides);

// Checks a configuration that was loaded for another purpose: throws ConfigError if a key that this purpose
// requires is missing.
void require_keys(const Loaded& loaded, Purpose purpose);

// Returns every key with its resolved value, in the units that a file would use: the "config" of a result.
// Loading this object as YAML yields the same configuration.
nlohmann::ordered_json to_json(const Config& config);

// Adds to_json() to a result as "config", followed by the configuration's "warnings" and "assumptions".
void write_config(const Config& config, nlohmann::ordered_json& result);

}  // namespace coppice::config
