#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "workload/model.h"

namespace coppice::system {

// The models that `training.model` may name: the layer tables of ../share/coppice/workloads/, seen from the
// command, if there is such a folder (`cmake --install` makes it); else of configs/workloads/ of the sources.
std::vector<std::string> known_models();

// The folder in which models are looked up: see known_models().
std::string model_folder();

// The layer table of `training.model`: a known model, or (with a '/' or the extension .csv) the path of a
// table, relative to the working directory. Throws ConfigError at the key if there is none, at the table's
// cell if it is not one.
workload::Model load_model(const config::Loaded& loaded);

}  // namespace coppice::system
