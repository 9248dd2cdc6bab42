#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "rtl_writer/design.h"

namespace coppice::rtl_writer {

// The model's run of a design, with which the bench compares.
struct ModelRun {
  Cycles cycles = 0;
  // [accelerator]: the gradient buffer before and after.
  std::vector<std::vector<float>> before;
  std::vector<std::vector<float>> after;
};

// A folder that is written whole or not at all: beside its place, then renamed.
class Folder {
 public:
  // Throws ConfigError located at `option` if `path` is there and not an empty folder, or cannot be written.
  Folder(const std::string& option, const std::string& path);
  // Removes what was not committed.
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Writes a file; `name` may have folders. Throws ModelError if that fails.
  void write(const std::string& name, const std::string& text);
  void commit();

 private:
  std::string path_;
  std::string temporary_;
};

// Writes the whole network: Verilog, images, bench and project files. `config`: the resolved configuration,
// as text. Throws ModelError if the Verilog sources are not found.
void write_network(const Design& design, const ModelRun& run, const std::string& config, Folder& folder);

}  // namespace coppice::rtl_writer
