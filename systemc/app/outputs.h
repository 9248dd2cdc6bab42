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
  // The configuration of `path` and all files that it names are inputs, as is every file read so far.
  Outputs(const std::string& path, const config::Loaded& loaded);

  // `path` is an input too, if it is not empty.
  void keep(const std::string& path) {
    if (!path.empty()) inputs_.push_back(path);
  }

  // Tries the file that `option` names; nullptr if `path` is empty. Throws ConfigError located at the option
  // if it cannot be written, or if it is the input or another output.
  system::ResultFile* add(const std::string& option, const std::string& path);
  // Throws ConfigError at the option of an output that has been read as an input meanwhile.
  void refuse_inputs() const;

 private:
  std::vector<std::string> inputs_;
  std::deque<system::ResultFile> files_;
};

}  // namespace coppice::app
