#include "system/program/fluid_error.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "system/process/child_process.h"
#include "system/process/interrupted.h"
#include "system/process/subprocess_run.h"
#include "workload/program_sample.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

// The approximate maximum number of flit-hops in a sample. With leaps, a slow core simulates them in about a
// second even if all messages contend.
constexpr double kSampledFlitHops = 5e6;
constexpr double kMostSeconds = 5;
constexpr double kLargeError = 0.1;

std::size_t operations(const workload::Program& program) {
  std::size_t sum = 0;
  for (const workload::RankProgram& rank : program.ranks) sum += rank.operations.size();
  return sum;
}

std::string describe_sample(const Json& sample) {
  const double scale = sample.at("scale");
  const std::string what = sample.contains("all_reduces") ? "the first all-reduces of all jobs at once"
                           : sample.at("first_iteration").get<bool>() ? "the first iteration"
                                                                      : "the run";
  return scale < 1 ? fmt::format("{}, scaled to {:.2g} of its bytes and computations", what, scale) : what;
}

}  // namespace

Json measure_fluid_error(Json sample, const TimeSample& time, const std::atomic<bool>* interrupted) {
  Json measured = {{"sample", std::move(sample)}};
  const auto run = [&](config::Fidelity fidelity) {
    return run_in_child([&] { return time(fidelity); }, interrupted, kMostSeconds);
  };
  try {
    const Json fluid = run(config::Fidelity::kFluid);
    const Json exact = run(config::Fidelity::kAuto);
    measured["sample"].update({{"fidelity", exact.at("fidelity")},
                               {"time_ns", exact.at("time_ns")},
                               {"fluid_time_ns", fluid.at("time_ns")}});
    const double ns = exact.at("time_ns");
    measured["error"] = ns > 0 ? fluid.at("time_ns").get<double>() / ns - 1 : 0.0;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    measured["reason"] = error.what();
  }
  return measured;
}

Json measure_fluid_error(const workload::Program& program, double flit_hops, const RunSample& run,
                         const std::atomic<bool>* interrupted) {
  workload::Program sample = program;
  double work = flit_hops;
  bool first = false;
  if (work > kSampledFlitHops) {
    sample = workload::first_iteration(program);
    first = sample.ranks != program.ranks;
    if (first) work *= static_cast<double>(operations(sample)) / static_cast<double>(operations(program));
  }
  const double scale = std::min(1.0, kSampledFlitHops / std::max(work, 1.0));
  if (scale < 1) sample = workload::scaled(sample, scale);
  return measure_fluid_error(
      {{"scale", scale}, {"first_iteration", first}},
      [&](config::Fidelity fidelity) { return run(sample, fidelity); }, interrupted);
}

void write_fluid_error(const Json& measured, Json& result) {
  result["fluid"] = measured;
  if (!measured.contains("error")) return;
  const double error = measured["error"];
  if (std::abs(error) < kLargeError) return;
  result["warnings"].push_back(fmt::format(
      "warning: fluid times are {:.0f}% too {} according to fidelity {} on {}: for exact times, write "
      "fidelity: {}",
      100 * std::abs(error), error > 0 ? "long" : "short", measured["sample"]["fidelity"].get<std::string>(),
      describe_sample(measured["sample"]), measured["sample"].contains("all_reduces") ? "flit" : "leap"));
}

std::string summarize_fluid_error(const Json& result) {
  const auto fluid = result.find("fluid");
  if (fluid == result.end()) return "";
  if (!fluid->contains("error"))
    return fmt::format("  error of fluid times: unknown ({})\n", fluid->at("reason").get<std::string>());
  return fmt::format("  error of fluid times: {:+.1f}%, measured on {}\n",
                     100 * fluid->at("error").get<double>(), describe_sample(fluid->at("sample")));
}

}  // namespace coppice::system
