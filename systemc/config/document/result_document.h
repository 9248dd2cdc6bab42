#pragma once

#include <string>
#include <vector>

#include "config/document/document.h"

namespace coppice::config {

// The configuration in a file: the whole of a YAML file, or the members `config` and `assumptions` of a
// result, which may be JSON or a page of coppice report. Locations refer to the file.
struct ConfigDocument {
  Node root;
  bool from_result = false;
  std::vector<std::string> assumptions{};
};

// Reads a configuration, or the result of a run. Throws ConfigError like read_document(), and also if coppice
// wrote the file but included no configuration, as in a schedule.
ConfigDocument read_config_document(const std::string& path);

}  // namespace coppice::config
