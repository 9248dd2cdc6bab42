#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "rtl_writer/design.h"

namespace coppice::rtl_writer {

// The model's run of a design, with which the testbench compares the Verilog.
struct ModelRun {
  Cycles cycles = 0;
  // [accelerator]: the contents of the gradient buffer before and after the run.
  std::vector<std::vector<float>> before;
  std::vector<std::vector<float>> after;
};

// A folder that is written either completely or not at all: first under a temporary name next to its final
// path, then renamed.
class Folder {
 public:
  // Throws ConfigError located at `option` if `path` exists and is not an empty folder, or if it cannot be
  // written.
  Folder(const std::string& option, const std::string& path);
  // Removes whatever was not committed.
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Writes a file; `name` may contain folders. Throws ModelError on failure.
  void write(const std::string& name, const std::string& text);
  void commit();

 private:
  std::string path_;
  std::string temporary_;
};

// Writes the whole network: Verilog, images, bench and project files. `config`: the text of the resolved
// configuration. Throws ModelError if the Verilog sources are not found.
void write_network(const Design& design, const ModelRun& run, const std::string& config, Folder& folder);

}  // namespace coppice::rtl_writer
