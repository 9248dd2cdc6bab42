#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "config/settings/config.h"

namespace coppice::config {

// The purpose for which a command loads a configuration; it determines which keys are required and which have
// no effect. kTextRun is a separate purpose because a run of a text workload only moves chunks, so fewer keys
// affect it.
enum class Purpose { kRun, kTraffic, kSchedule, kBound, kRoute, kTextRun, kLayers };

// A configuration with the location of every key that was set.
struct Loaded {
  Config config;
  std::map<std::string, SourceLocation> places;  // "system.link.bandwidth" -> location of its value
  SourceLocation top;                            // start of the document, where missing keys are reported

  // Whether the configuration is that of a result, which has every key whether or not the user set it.
  bool from_result = false;

  // Whether the user has set the key, on the command line or in a configuration.
  bool was_set(const std::string& key) const;

  // The location of `key` or, if it was not set, of the nearest enclosing section that exists.
  SourceLocation place(const std::string& key) const;
};

// The section or list entry that contains the key, section or entry at `path`: "system.link" for
// "system.link.bandwidth"; empty at the top level.
std::string enclosing_section(const std::string& path);

}  // namespace coppice::config
