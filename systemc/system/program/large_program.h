#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "workload/large_training.h"
#include "workload/program.h"

namespace coppice::system {

// The transformers that `training.model` may name if training.parallel lays it out.
std::vector<std::string> known_transformers();

// The training of the transformer that `training.model` names or describes in a file (YAML). Throws
// ConfigError at the key with an impossible value.
workload::LargeTraining large_training_of(const config::Loaded& loaded);

// The program of workload.inference. Throws ConfigError at a key with an impossible value, and at
// system.accelerator.memory if an accelerator would have to hold more.
workload::Program load_inference(const config::Loaded& loaded);

// The `inference` of the result of such a program: the time to the first token, and the time per further
// token.
void add_inference(nlohmann::ordered_json& result, const config::Config& config);

// The program of large_training_of(). Throws ConfigError at a key with an impossible value, and at
// system.accelerator.memory if an accelerator would have to hold more.
workload::Program load_large_program(const config::Loaded& loaded);

}  // namespace coppice::system
