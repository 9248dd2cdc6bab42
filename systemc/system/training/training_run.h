#pragma once

#include <functional>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/collective/run.h"

namespace coppice::system {

// Simulates the collective of a configuration and returns its result: run_collective(), but for tests.
using RunAllReduce = std::function<nlohmann::ordered_json(const config::Loaded&, const RunOptions&)>;

// One iteration of `training.model`: times its layers on the accelerator and simulates it. With overlap none
// and chained that is one all-reduce of all gradients, behind computation or with the next forward pass
// chained to it; with layer_wise and bucketed a program (training_program.h), whose all-reduces are in flight
// together beside computation. A gradient of fewer elements than a chunk needs (one for each accelerator) is
// padded to as many, and one of fewer than `collective.chunks` times that is cut into fewer chunks.
//
// Returns the result of system/training/training_result.h, of a program with its iterations, collectives and
// accelerators. Throws as run_collective(); ConfigError too if `collective.op` is no all-reduce.
// `run_all_reduce` is what none and chained call. Elaborates a SystemC kernel.
nlohmann::ordered_json run_training(const config::Loaded& loaded, const RunOptions& options,
                                    const RunAllReduce& run_all_reduce = run_collective);

}  // namespace coppice::system
