#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "config/settings/config.h"

namespace coppice::config {

// The purpose for which a command loads a configuration; it determines which keys are required and which have
// no effect. A run of a text workload only moves chunks, so fewer keys have an effect on it: kTextRun.
enum class Purpose { kRun, kTraffic, kSchedule, kBound, kRoute, kTextRun, kLayers };

// A configuration with the location of every key that was set.
struct Loaded {
  Config config;
  std::map<std::string, SourceLocation> places;  // "system.link.bandwidth" -> location of its value
  SourceLocation top;                            // start of the document, where missing keys are reported

  // The configuration of a result has every key, whether or not it was set by the user.
  bool from_result = false;

  // Whether the user has set the key, on the command line or in a configuration.
  bool was_set(const std::string& key) const;

  // The location of `key`, otherwise of the nearest enclosing section that exists.
  SourceLocation place(const std::string& key) const;
};

// The section or list entry that holds the key, section or entry at `path`: "system.link" for
// "system.link.bandwidth"; empty at the top level.
std::string enclosing_section(const std::string& path);

}  // namespace coppice::config
