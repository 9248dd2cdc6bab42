#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/layer.h"

namespace coppice::workload {

// A neural network as a list of layers in the order of the forward pass. Layers of branches are in the order
// in which an accelerator computes them.
struct Model {
  std::string name;
  std::vector<Layer> layers;
  std::vector<std::string> warnings = {};  // about parts of the layer table that were ignored

  std::int64_t parameters() const;
  Bytes gradient_bytes() const { return parameters() * kElementBytes; }
  // The number of multiply-accumulates in the forward pass of one sample.
  std::int64_t macs() const;
};

// The names of the tables (*.csv) in `folder`, sorted and without extension; empty if the folder does not
// exist.
std::vector<std::string> model_names(const std::string& folder);

}  // namespace coppice::workload
