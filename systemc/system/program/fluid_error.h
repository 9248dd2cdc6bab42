#pragma once

#include <atomic>
#include <functional>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "workload/program.h"

namespace coppice::system {

// Runs a program, a part of the run's or a smaller one, on the run's network: at fidelity fluid or auto.
using RunSample = std::function<nlohmann::ordered_json(const workload::Program& sample, config::Fidelity)>;

// The error of fluid times for a program of `flit_hops`: `error`, the fluid time divided by that of trains or
// flits, minus 1, on a `sample` of the program that takes about a second (the program itself if it is small).
// Without `error`, and with a `reason` instead, if the sample fails or takes longer than five seconds. Runs
// subprocesses: call before any SystemC object exists.
nlohmann::ordered_json measure_fluid_error(const workload::Program& program, double flit_hops,
                                           const RunSample& run, const std::atomic<bool>* interrupted);

// Writes what measure_fluid_error() returns to the result as `fluid`, and adds a warning if the error is
// large.
void write_fluid_error(const nlohmann::ordered_json& measured, nlohmann::ordered_json& result);

}  // namespace coppice::system
