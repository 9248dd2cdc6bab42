#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/layer.h"

namespace coppice::workload {

// A network as a chain of layers in the order of the forward pass; branches are listed in sequence, as one
// accelerator computes them.
struct Model {
  std::string name;
  std::vector<Layer> layers;
  std::vector<std::string> warnings = {};  // parts of the table that were not read

  std::int64_t parameters() const;
  Bytes gradient_bytes() const { return parameters() * kElementBytes; }
  // Multiply-accumulates of the forward pass of one sample.
  std::int64_t macs() const;
};

// The names of the tables (*.csv) in `folder` without extension, sorted; empty if the folder does not exist.
std::vector<std::string> model_names(const std::string& folder);

}  // namespace coppice::workload
