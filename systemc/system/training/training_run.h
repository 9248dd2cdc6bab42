#pragma once

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"

namespace coppice::system {

// One iteration of `training.model`: times its layers on the accelerator and runs them and the all-reduces of
// their gradients as a program (training_program.h). A gradient with fewer elements than a chunk needs (one
// for each accelerator) is padded; one with fewer than `collective.chunks` times that is cut into fewer
// chunks.
//
// Returns the result of system/training/training_result.h with the program's iterations, collectives and
// accelerators. Throws as run_program() does, and ConfigError if `collective.op` is not an all-reduce, or if
// a forward pass is chained to an algorithm whose chunks do not become final one by one. Elaborates a SystemC
// kernel.
nlohmann::ordered_json run_training(const config::Loaded& loaded, const RunOptions& options);

}  // namespace coppice::system
