#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "config/settings/config.h"

namespace coppice::config {

// The purpose for which a command loads a configuration. It determines which keys are required and which have
// no effect. kTextRun is a separate purpose, since a run of a text workload only moves chunks and therefore
// depends on fewer keys.
enum class Purpose { kRun, kTraffic, kSchedule, kBound, kRoute, kTextRun, kLayers };

// A configuration, and the location of every key that was set.
struct Loaded {
  Config config;
  std::map<std::string, SourceLocation> places;  // [key]: location of its value
  SourceLocation top;  // start of the document, which is the location of errors about missing keys

  // Whether the configuration comes from a result, which contains every key whether or not the user set it.
  bool from_result = false;

  // Whether the user has set the key, on the command line or in a configuration.
  bool was_set(const std::string& key) const;

  // The location of `key`; if it was not set, that of the nearest enclosing section that exists.
  SourceLocation place(const std::string& key) const;
};

// The path of the section or list entry that contains the key, section or entry at `path`: "system.link" for
// "system.link.bandwidth"; empty at the top level.
std::string enclosing_section(const std::string& path);

}  // namespace coppice::config
