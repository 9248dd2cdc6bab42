#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "workload/model.h"

namespace coppice::system {

// The models that `training.model` may name: the layer tables in ../share/coppice/workloads/, relative to the
// command, if that folder exists (`cmake --install` creates it); otherwise those in configs/workloads/ of the
// sources.
std::vector<std::string> known_models();

// The folder of these models: see known_models().
std::string model_folder();

// The layer table of `training.model`: a known model, or (with a '/' or the extension .csv) the path of a
// table, relative to the working directory. Throws ConfigError at the key if it does not exist, and at the
// table's cell if it is invalid.
workload::Model load_model(const config::Loaded& loaded);

}  // namespace coppice::system
