#pragma once

#include <deque>
#include <string>

#include "system/output/result_file.h"

namespace coppice::app {

// The files that a command will write. All are tried before anything runs.
class Outputs {
 public:
  // `input` is the configuration, which no output may replace.
  explicit Outputs(std::string input) : input_(std::move(input)) {}

  // Tries the file that `option` names; nullptr if `path` is empty. Throws ConfigError located at the option
  // if it cannot be written, or if it is the input or another output.
  system::ResultFile* add(const std::string& option, const std::string& path);

 private:
  std::string input_;
  std::deque<system::ResultFile> files_;
};

}  // namespace coppice::app
