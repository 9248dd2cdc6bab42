#pragma once

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"

namespace coppice::system {

// Runs one iteration of `training.model`: times its layers on the accelerator, then runs them and the
// all-reduces of their gradients as a program (training_program.h). A chunk needs one element per
// accelerator: a gradient with fewer elements is padded, and a gradient with too few elements for
// `collective.chunks` chunks is divided into fewer chunks. Returns the result of
// system/training/training_result.h plus the program's iterations, collectives and accelerators. Throws like
// run_program(), and ConfigError if `collective.op` is not an all-reduce, or if a forward pass is chained to
// an algorithm whose chunks do not become final individually. Elaborates a SystemC kernel.
nlohmann::ordered_json run_training(const config::Loaded& loaded, const RunOptions& options);

}  // namespace coppice::system
