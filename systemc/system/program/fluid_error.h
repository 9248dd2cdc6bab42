#pragma once

#include <atomic>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "workload/program.h"

namespace coppice::system {

// Runs a sample at fidelity `fluid`, or exactly (kAuto), and returns the result's `fidelity` and `time_ns`.
using TimeSample = std::function<nlohmann::ordered_json(config::Fidelity)>;

// Measures the error of fluid times. Returns `error`, the fluid time of a sample divided by its exact time,
// minus 1; and `sample`, a description with `fidelity`, `time_ns` and `fluid_time_ns`. If the sample fails or
// takes longer than five seconds, `reason` replaces `error`. Call this before any SystemC object exists,
// since it runs subprocesses.
nlohmann::ordered_json measure_fluid_error(nlohmann::ordered_json sample, const TimeSample& time,
                                           const std::atomic<bool>* interrupted);

// Runs a sample of a program on the program's network, at fidelity `fluid` or `auto`.
using RunSample = std::function<nlohmann::ordered_json(const workload::Program& sample, config::Fidelity)>;

// Measures the error for a program of `flit_hops`. The sample, which takes about a second, is the program
// itself or, if the program is too large, its first iteration, scaled down.
nlohmann::ordered_json measure_fluid_error(const workload::Program& program, double flit_hops,
                                           const RunSample& run, const std::atomic<bool>* interrupted);

// Stores the value returned by measure_fluid_error() in the result as `fluid`, and adds a warning if the
// error is large.
void write_fluid_error(const nlohmann::ordered_json& measured, nlohmann::ordered_json& result);

// The line of the summary for a result's `fluid`; empty if the result has none.
std::string summarize_fluid_error(const nlohmann::ordered_json& result);

}  // namespace coppice::system
