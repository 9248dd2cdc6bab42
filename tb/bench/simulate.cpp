#include "simulate.h"

#include <algorithm>
#include <exception>

#include "support/shipped_config.h"
#include "system/process/child_process.h"

namespace coppice::bench {

config::Loaded load_system(const std::string& name, const std::vector<std::string>& overrides,
                           config::Purpose purpose) {
  return config::load(testing::shipped_config("systems/" + name + ".yaml"), overrides, purpose);
}

nlohmann::ordered_json measure(benchmark::State& state,
                               const std::function<nlohmann::ordered_json()>& simulate) {
  nlohmann::ordered_json result;
  double flit_hops = 0;
  double peak_rss = 0;
  for (const auto& iteration : state) {
    (void)iteration;
    try {
      result = system::run_in_child(simulate, nullptr);
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
      break;
    }
    const auto& simulator = result["simulator"];
    // Google Benchmark does not accept a time of 0, so runs that are too short for the kernel's clock count
    // as a microsecond.
    state.SetIterationTime(std::max(1e-6, simulator["user_s"].get<double>()));
    flit_hops += result["flit_hops"].get<double>();
    peak_rss = std::max(peak_rss, simulator["peak_rss_bytes"].get<double>());
  }
  state.counters["flit_hops_per_s"] = benchmark::Counter(flit_hops, benchmark::Counter::kIsRate);
  state.counters["peak_rss"] =
      benchmark::Counter(peak_rss, benchmark::Counter::kDefaults, benchmark::Counter::kIs1024);
  return result;
}

}  // namespace coppice::bench
