#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "config/loader.h"
#include "system/output/result_file.h"

namespace coppice::app {

// The files that a command will write. Before the command runs, this class checks whether each file can be
// written.
class Outputs {
 public:
  // `inputs` are files that no output may replace.
  explicit Outputs(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {}
  // The inputs are the configuration at `path`, all files that it names, and all files that have been read so
  // far.
  Outputs(const std::string& path, const config::Loaded& loaded);

  // Adds `path` to the inputs if it is not empty.
  void keep(const std::string& path) {
    if (!path.empty()) inputs_.push_back(path);
  }

  // Tests whether the file `path`, the value of `option`, can be written, and returns it; returns nullptr if
  // `path` is empty. Throws ConfigError at the option if the file cannot be written, or is an input or
  // another output.
  system::ResultFile* add(const std::string& option, const std::string& path);
  // Throws ConfigError at the responsible option if an output has been read as an input since it was added.
  void refuse_inputs() const;

 private:
  std::vector<std::string> inputs_;
  std::deque<system::ResultFile> files_;
};

}  // namespace coppice::app
