#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/layer.h"

namespace coppice::workload {

// A neural network as a chain of layers in the order of the forward pass; branches are listed in the order in
// which an accelerator computes them.
struct Model {
  std::string name;
  std::vector<Layer> layers;
  std::vector<std::string> warnings = {};  // about parts of the table that were ignored

  std::int64_t parameters() const;
  Bytes gradient_bytes() const { return parameters() * kElementBytes; }
  // Multiply-accumulates of the forward pass of one sample.
  std::int64_t macs() const;
};

// The sorted names of the tables (*.csv) in `folder`, without extension; empty if the folder does not exist.
std::vector<std::string> model_names(const std::string& folder);

}  // namespace coppice::workload
