#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "config/loader.h"
#include "system/output/result_file.h"

namespace coppice::app {

// The files that a command will write. Each is tested for writability before anything runs.
class Outputs {
 public:
  // No output may replace one of `inputs`.
  explicit Outputs(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {}
  // The inputs are the configuration at `path`, all files that it names, and every file read so far.
  Outputs(const std::string& path, const config::Loaded& loaded);

  // Adds `path` to the inputs if it is not empty.
  void keep(const std::string& path) {
    if (!path.empty()) inputs_.push_back(path);
  }

  // Tests the file at `path`, the value of `option`; returns nullptr if `path` is empty. Throws ConfigError
  // at the option if the file cannot be written, or is an input or another output.
  system::ResultFile* add(const std::string& option, const std::string& path);
  // Throws ConfigError, at its option, if an output has been read as an input since it was added.
  void refuse_inputs() const;

 private:
  std::vector<std::string> inputs_;
  std::deque<system::ResultFile> files_;
};

}  // namespace coppice::app
