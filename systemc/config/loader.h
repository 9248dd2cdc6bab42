#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"
#include "config/config.h"

namespace coppice::config {

// The use that the command will make of it: it decides which keys are required and which have no
// effect. A run of a text workload moves chunks only, and fewer keys have an effect on it: kTextRun.
enum class Purpose { kRun, kTraffic, kSchedule, kBound, kRoute, kTextRun, kLayers };

// A configuration with the place of every key that was set.
struct Loaded {
  Config config;
  std::map<std::string, SourceLocation> places;  // "system.link.bandwidth" -> where its value stands
  SourceLocation top;                            // the document, for keys that are not there

  // The place of `key`, else of the nearest enclosing section that is there.
  SourceLocation place(const std::string& key) const;
};

// Reads a YAML file, applies `overrides` ("key=value", values in YAML), validates. Throws ConfigError at the
// key at fault: unknown key (with the nearest known one), missing key, wrong type, unit or value.
// Overrides are located as "--set KEY=VALUE:1:col".
Loaded load(const std::string& path, const std::vector<std::string>& overrides, Purpose purpose);

// Throws ConfigError for a key without which there is no such use of what was loaded for another.
void require_keys(const Loaded& loaded, Purpose purpose);

// Warnings of keys that were set but change nothing in this kind of run: "file:line:col: warning: ...", one
// per file and reason, naming all its keys and placed at the first of them. `records_waves`: whether the run
// writes a value change dump.
std::vector<std::string> ineffective_keys(const Loaded& loaded, Purpose purpose, bool records_waves = true);

// Every key with its resolved value, in the units the file would use: the "config" of a result. Loading it
// again as YAML gives the same configuration.
nlohmann::ordered_json to_json(const Config& config);

// Puts to_json() into a result as "config", and behind it as "assumptions" what was taken for granted of
// files that leave it open, if anything was.
void write_config(const Config& config, nlohmann::ordered_json& result);

}  // namespace coppice::config
