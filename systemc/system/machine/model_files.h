#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "workload/model.h"

namespace coppice::system {

// The names that `training.model` may use. Each is a layer table in ../share/coppice/workloads/ relative to
// the executable (a folder that `cmake --install` creates) or, if that folder does not exist, in
// configs/workloads/ of the source tree.
std::vector<std::string> known_models();

// The folder that known_models() lists.
std::string model_folder();

// Loads the layer table of `training.model`: either a known model or, if the value contains '/' or ends in
// .csv, a path relative to the working directory. Throws ConfigError at the key if the table does not exist,
// and at the table's cell if a value is invalid.
workload::Model load_model(const config::Loaded& loaded);

}  // namespace coppice::system
