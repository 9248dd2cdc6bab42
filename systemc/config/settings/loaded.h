#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "config/settings/config.h"

namespace coppice::config {

// The use that the command will make of a configuration: it decides which keys are required and which have
// no effect. A run of a text workload moves chunks only, and fewer keys have an effect on it: kTextRun.
enum class Purpose { kRun, kTraffic, kSchedule, kBound, kRoute, kTextRun, kLayers };

// A configuration with the place of every key that was set.
struct Loaded {
  Config config;
  std::map<std::string, SourceLocation> places;  // "system.link.bandwidth" -> where its value stands
  SourceLocation top;                            // the document, for keys that are not there

  // The configuration of a result has every key, whether or not anybody has set it.
  bool from_result = false;

  // Whether somebody has set the key, on the command line or in a configuration.
  bool was_set(const std::string& key) const;

  // The place of `key`, else of the nearest enclosing section that is there.
  SourceLocation place(const std::string& key) const;
};

// The section or list entry that holds the key, section or entry at `path`: "system.link" for
// "system.link.bandwidth"; empty at the top level.
std::string enclosing_section(const std::string& path);

}  // namespace coppice::config
