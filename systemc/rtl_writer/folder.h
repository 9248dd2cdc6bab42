#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "rtl_writer/design.h"

namespace coppice::rtl_writer {

// The results of a run of the design in the model. The testbench compares the Verilog with them.
struct ModelRun {
  Cycles cycles = 0;
  // [accelerator]: the contents of its gradient buffer before and after the run.
  std::vector<std::vector<float>> before;
  std::vector<std::vector<float>> after;
};

// A folder that is written either completely or not at all: it is first written under a temporary name next
// to its final path, and then renamed.
class Folder {
 public:
  // Throws a ConfigError for `option` if `path` exists and is not an empty folder, or if it cannot be
  // written.
  Folder(const std::string& option, const std::string& path);
  // Removes the folder unless it has been committed.
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Writes a file. Its `name` may contain folders. Throws ModelError if it cannot be written.
  void write(const std::string& name, const std::string& text);
  void commit();

 private:
  std::string path_;
  std::string temporary_;
};

// Writes everything: the network's Verilog, images, testbench and project files. `config` is the text of the
// resolved configuration. Throws ModelError if the Verilog modules are not found.
void write_network(const Design& design, const ModelRun& run, const std::string& config, Folder& folder);

}  // namespace coppice::rtl_writer
