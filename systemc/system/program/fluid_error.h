#pragma once

#include <atomic>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "workload/program.h"

namespace coppice::system {

// Runs the sample at fidelity fluid, or exactly (kAuto), and returns `fidelity` and `time_ns`.
using TimeSample = std::function<nlohmann::ordered_json(config::Fidelity)>;

// The error of fluid times: `error`, the fluid time of a sample divided by its exact time, minus 1, and
// `sample`, its description with `fidelity`, `time_ns` and `fluid_time_ns` added. If the sample fails or
// takes longer than five seconds, there is a `reason` instead of `error`. Runs subprocesses: call this before
// any SystemC object exists.
nlohmann::ordered_json measure_fluid_error(nlohmann::ordered_json sample, const TimeSample& time,
                                           const std::atomic<bool>* interrupted);

// Runs a program (a part of the run's or a smaller one) on the run's network, at fidelity fluid or auto.
using RunSample = std::function<nlohmann::ordered_json(const workload::Program& sample, config::Fidelity)>;

// Measures the error for a program of `flit_hops` on a sample that takes about a second: the program itself
// if it is small, otherwise its first iteration with fewer bytes.
nlohmann::ordered_json measure_fluid_error(const workload::Program& program, double flit_hops,
                                           const RunSample& run, const std::atomic<bool>* interrupted);

// Writes what measure_fluid_error() returns to the result as `fluid`, and adds a warning if the error is
// large.
void write_fluid_error(const nlohmann::ordered_json& measured, nlohmann::ordered_json& result);

// The line of a result's `fluid` in its terminal summary; empty if the result has none.
std::string summarize_fluid_error(const nlohmann::ordered_json& result);

}  // namespace coppice::system
