#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "config/loader.h"
#include "system/output/result_file.h"

namespace coppice::app {

// The files that a command will write. All are tried before anything runs.
class Outputs {
 public:
  // None of `inputs` may be replaced by an output.
  explicit Outputs(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {}
  // The configuration of `path` and all files that it names are inputs.
  Outputs(const std::string& path, const config::Loaded& loaded);

  // Tries the file that `option` names; nullptr if `path` is empty. Throws ConfigError located at the option
  // if it cannot be written, or if it is the input or another output.
  system::ResultFile* add(const std::string& option, const std::string& path);

 private:
  std::vector<std::string> inputs_;
  std::deque<system::ResultFile> files_;
};

}  // namespace coppice::app
