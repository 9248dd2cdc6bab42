#pragma once

#include <string>
#include <vector>

#include "config/document/document.h"

namespace coppice::config {

// The configuration in a file: a whole YAML file, or the `config` and the `assumptions` of a result, in JSON
// or as a page of coppice report shows it. Locations refer to the file.
struct ConfigDocument {
  Node root;
  bool from_result = false;
  std::vector<std::string> assumptions{};
};

// Reads a configuration, or the result of a run. Throws ConfigError as read_document() does, and if coppice
// wrote the file without a configuration, such as a schedule.
ConfigDocument read_config_document(const std::string& path);

}  // namespace coppice::config
