#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "config/settings/loaded.h"

namespace coppice::config {

struct BooksimExperiment;

// Reads a YAML file or the configuration of a result, applies `overrides` ("key=value", values in YAML),
// validates. Throws ConfigError at the key at fault: unknown key (with the nearest known one), missing key,
// wrong type, unit or value. Overrides are located as "--set KEY=VALUE:1:col".
Loaded load(const std::string& path, const std::vector<std::string>& overrides, Purpose purpose);

// As load(), of the network of an experiment of BookSim2 (config/files/booksim_file.h).
Loaded load_booksim(const std::string& path, const BooksimExperiment& experiment,
                    const std::vector<std::string>& overrides);

// Throws ConfigError for a missing key that this purpose requires, if the configuration was loaded for
// another.
void require_keys(const Loaded& loaded, Purpose purpose);

// Every key with its resolved value, in the units the file would use: the "config" of a result. Loading it
// again as YAML gives the same configuration.
nlohmann::ordered_json to_json(const Config& config);

// Adds to_json() to a result as "config", followed by the configuration's "warnings" and "assumptions".
void write_config(const Config& config, nlohmann::ordered_json& result);

}  // namespace coppice::config
