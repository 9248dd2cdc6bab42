#pragma once

#include <string>
#include <vector>

#include "config/document/document.h"

namespace coppice::config {

// The configuration in a file: a whole YAML file, or the `config` of a result, with the result's
// `assumptions`. Locations refer to the file.
struct ConfigDocument {
  Node root;
  bool from_result = false;
  std::vector<std::string> assumptions{};
};

// Reads a configuration, or the result of a run. Throws ConfigError as read_document() does, and for a file
// written by coppice without a configuration, such as a schedule.
ConfigDocument read_config_document(const std::string& path);

}  // namespace coppice::config
