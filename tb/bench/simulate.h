#pragma once

#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "config/loader.h"

namespace coppice::bench {

// Loads configs/systems/NAME.yaml with overrides of the form "key=value".
config::Loaded load_system(const std::string& name, const std::vector<std::string>& overrides,
                           config::Purpose purpose);

// Runs one simulation per iteration, each in a separate process, since a SystemC kernel elaborates once per
// process, and to measure the simulation's peak memory. The time is the user CPU time in the result, which
// excludes building the system. Counts flit_hops_per_s and peak_rss (bytes). An exception is reported as the
// benchmark's error. Returns the last result.
nlohmann::ordered_json measure(benchmark::State& state,
                               const std::function<nlohmann::ordered_json()>& simulate);

}  // namespace coppice::bench
