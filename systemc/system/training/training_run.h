#pragma once

#include <functional>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/collective/run.h"

namespace coppice::system {

// Simulates the collective of a configuration and returns its result: run_collective(), but for tests.
using RunAllReduce = std::function<nlohmann::ordered_json(const config::Loaded&, const RunOptions&)>;

// One iteration of `training.model`: times its layers on the accelerator, simulates an all-reduce of every
// different gradient size on the configured system, and lays both out in time (workload/training_timeline.h).
// All-reduces run one at a time, so those durations, each measured alone, are exact. A gradient of fewer
// elements than a chunk needs (one for each accelerator) is padded to as many, and one of fewer than
// `collective.chunks` times that is cut into fewer chunks.
//
// Several sizes run in subprocesses, one per size, as many at once as there are processors; a single one runs
// here. Returns the result of system/training/training_result.h. Throws as run_collective(); ConfigError too
// if `collective.op` is no all-reduce, or if a trace or dump of several all-reduces is asked for.
nlohmann::ordered_json run_training(const config::Loaded& loaded, const RunOptions& options,
                                    const RunAllReduce& run_all_reduce = run_collective);

}  // namespace coppice::system
