#pragma once

#include <atomic>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "workload/program.h"

namespace coppice::system {

// Runs a sample at fidelity fluid or exactly (kAuto), and returns its `fidelity` and `time_ns`.
using TimeSample = std::function<nlohmann::ordered_json(config::Fidelity)>;

// Measures the error of fluid times. Returns `error`, a sample's fluid time divided by its exact time, minus
// 1, and `sample`, its description plus `fidelity`, `time_ns` and `fluid_time_ns`. If the sample fails or
// takes longer than five seconds, there is a `reason` instead of `error`. Runs subprocesses, so call this
// before any SystemC object exists.
nlohmann::ordered_json measure_fluid_error(nlohmann::ordered_json sample, const TimeSample& time,
                                           const std::atomic<bool>* interrupted);

// Runs a sample of the run's program on its network, at fidelity fluid or auto.
using RunSample = std::function<nlohmann::ordered_json(const workload::Program& sample, config::Fidelity)>;

// Measures the error for a program of `flit_hops` on a sample that takes about a second: the program itself
// if it is small, otherwise its first iteration, scaled down.
nlohmann::ordered_json measure_fluid_error(const workload::Program& program, double flit_hops,
                                           const RunSample& run, const std::atomic<bool>* interrupted);

// Writes the return value of measure_fluid_error() to the result as `fluid`, with a warning if the error is
// large.
void write_fluid_error(const nlohmann::ordered_json& measured, nlohmann::ordered_json& result);

// The summary line for a result's `fluid`; empty if it has none.
std::string summarize_fluid_error(const nlohmann::ordered_json& result);

}  // namespace coppice::system
