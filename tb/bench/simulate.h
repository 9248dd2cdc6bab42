#pragma once

#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "config/loader.h"

namespace coppice::bench {

// Loads configs/systems/NAME.yaml and applies `overrides` of the form "key=value".
config::Loaded load_system(const std::string& name, const std::vector<std::string>& overrides,
                           config::Purpose purpose);

// Runs one simulation per iteration and returns the last result. Each simulation has a process of its own,
// because a SystemC kernel elaborates only once per process, and so that its peak memory can be measured. The
// time is the user CPU time in the result, which excludes building the system. Reports the counters
// flit_hops_per_s and peak_rss (in bytes). If a simulation throws, the benchmark fails with the exception's
// message.
nlohmann::ordered_json measure(benchmark::State& state,
                               const std::function<nlohmann::ordered_json()>& simulate);

}  // namespace coppice::bench
