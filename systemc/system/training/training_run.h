#pragma once

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"

namespace coppice::system {

// Runs one iteration of `training.model`: computes the times of its layers on the accelerator, then simulates
// the layers and the all-reduces of their gradients as a program (training_program.h). Since a chunk needs
// one element per accelerator, a gradient with fewer elements is padded, and a gradient that is too small for
// `collective.chunks` chunks is divided into fewer chunks. Returns the result described in training_result.h,
// with the program's iterations, collectives and accelerators. Throws like run_program(); also throws
// ConfigError if `collective.op` is not an all-reduce, or if a forward pass is chained to an algorithm whose
// chunks do not become final individually. Elaborates a SystemC kernel.
nlohmann::ordered_json run_training(const config::Loaded& loaded, const RunOptions& options);

}  // namespace coppice::system
