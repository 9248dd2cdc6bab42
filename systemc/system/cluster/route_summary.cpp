// Formats the summary of a routing study's result.
#include <fmt/format.h>

#include "system/cluster/route_study.h"
#include "system/program/fluid_error.h"

namespace coppice::system {

std::string summarize_route_study(const nlohmann::ordered_json& result) {
  std::string text = fmt::format(
      "{} on {} job{}, {:.3f} s simulated ({} fidelity, verified: {})\n", result["method"].get<std::string>(),
      result["jobs"].size(), result["jobs"].size() == 1 ? "" : "s", result["time_s"].get<double>(),
      result["fidelity"].get<std::string>(), result["verified"].get<std::string>());
  text += "  job  model        rings    all-reduce s     ideal s  slowdown   flow s  throughput GB/s\n";
  for (std::size_t j = 0; j < result["jobs"].size(); ++j) {
    const auto& job = result["jobs"][j];
    text += fmt::format("  {:>3}  {:<11} {:>3} x {:<2} {:>14.6f} {:>11.6f} {:>9.3f} {:>8.4f} {:>16.3f}\n", j,
                        job["model"].get<std::string>(), job["copy"].get<int>(),
                        job["data_parallel"].get<int>(), job["all_reduce_s"].get<double>(),
                        job["ideal_s"].get<double>(), job["slowdown"].get<double>(),
                        job["flow_completion_s"].get<double>(), job["throughput_gb_s"].get<double>());
  }
  const auto& controller = result["controller"];
  if (controller["assignments"].get<int>() > 0) {
    text += fmt::format(
        "  {} assignments of up to {} flows took {:.3f} ms on average and moved {} flows; mean load {:.3f} "
        "times the lower bound\n",
        controller["assignments"].get<int>(), controller["most_flows"].get<int>(),
        1e3 * controller["seconds_mean"].get<double>(), controller["moved"].get<std::int64_t>(),
        controller["load_over_bound_mean"].get<double>());
  }
  text += summarize_fluid_error(result);
  text += "  flows of all jobs together:\n";
  for (const auto& method : result["all_flows"]["methods"]) {
    text +=
        fmt::format("    {:<14} at most {:>3} flows on a link (lower bound {:>3}), assigned in {:.3f} ms\n",
                    method["method"].get<std::string>(), method["max_load"].get<int>(),
                    result["all_flows"]["lower_bound"].get<int>(), 1e3 * method["seconds"].get<double>());
  }
  text += fmt::format("  simulated {} messages in {:.2f} s\n", result["messages"].get<std::int64_t>(),
                      result["simulator"]["wall_s"].get<double>());
  return text;
}

}  // namespace coppice::system
