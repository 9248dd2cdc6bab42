#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "workload/model.h"

namespace coppice::system {

// The models that `training.model` may name: the layer tables in ../share/coppice/workloads/, relative to the
// executable, if that folder exists (`cmake --install` creates it), or otherwise in the source tree's
// configs/workloads/.
std::vector<std::string> known_models();

// The folder that known_models() lists.
std::string model_folder();

// The layer table of `training.model`, which is a known model or, with a '/' or the extension .csv, the path
// of a table relative to the working directory. Throws ConfigError at the key if the table does not exist,
// and at the table's cell if a value is invalid.
workload::Model load_model(const config::Loaded& loaded);

}  // namespace coppice::system
