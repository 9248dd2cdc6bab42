#pragma once

#include <atomic>
#include <functional>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "workload/program.h"

namespace coppice::system {

// Runs a program, which is smaller than that of the run in question, on the run's network: as fluid, or by
// `fidelity: auto`.
using RunSample = std::function<nlohmann::ordered_json(const workload::Program& sample, config::Fidelity)>;

// How far fluid times are from those of trains or flits, for a program of so many flit-hops: `error`, the
// fluid time over the other's, less 1, on a `sample` of the program that takes seconds; the program itself if
// that does. In processes of their own: call before anything of SystemC exists. Without `error`, and with the
// `reason` instead, if the sample does not run.
nlohmann::ordered_json measure_fluid_error(const workload::Program& program, double flit_hops,
                                           const RunSample& run, const std::atomic<bool>* interrupted);

// Puts what measure_fluid_error() returns into the result as `fluid`, and a warning of a large error.
void write_fluid_error(const nlohmann::ordered_json& measured, nlohmann::ordered_json& result);

}  // namespace coppice::system
