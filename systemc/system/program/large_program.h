#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "workload/large_training.h"
#include "workload/program.h"

namespace coppice::system {

// The names of transformers that `training.model` may use when training.parallel is set.
std::vector<std::string> known_transformers();

// The training of the transformer that `training.model` names. The value may also be the path of a
// description in YAML. Throws ConfigError, located at the key, if a value is impossible.
workload::LargeTraining large_training_of(const config::Loaded& loaded);

// The program of workload.inference. Throws ConfigError at the key if a value is impossible, and at
// system.accelerator.memory if the model does not fit.
workload::Program load_inference(const config::Loaded& loaded);

// Adds `inference` to the result of a program from load_inference(): the time to the first token and the time
// for each further token.
void add_inference(nlohmann::ordered_json& result, const config::Config& config);

// The program of large_training_of(). Throws ConfigError at the key if a value is impossible, and at
// system.accelerator.memory if the model does not fit.
workload::Program load_large_program(const config::Loaded& loaded);
// The program of load_large_program(), to be represented by one data-parallel copy of the model.
workload::ReplicatedProgram load_large_copies(const config::Loaded& loaded);

}  // namespace coppice::system
