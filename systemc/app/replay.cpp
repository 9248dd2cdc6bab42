#include "app/replay.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/loader.h"
#include "config/settings/shape.h"
#include "system/process/child_process.h"
#include "system/process/subprocess_run.h"
#include "system/program/program_run.h"
#include "system/training/training_run.h"

namespace coppice::app {
namespace {

using nlohmann::ordered_json;

// The fidelity at which to repeat a run. A run that mixed trains and flits is repeated with leaps, which
// yield the same number of cycles: without another run of trains, it is not known which messages must move as
// flits.
std::string fidelity_of(const ordered_json& result) {
  if (result.contains("trains")) return "leap";
  const std::string fidelity = result.value("fidelity", "auto");
  const bool one = fidelity == "flit" || fidelity == "leap" || fidelity == "train" || fidelity == "fluid";
  return one ? fidelity : "auto";
}

// The configuration with which to repeat the run. Options that cost time but do not affect the number of
// cycles are turned off.
config::Loaded load_again(const std::string& path, const ordered_json& result) {
  std::vector<std::string> overrides{"check=off", "fidelity=" + fidelity_of(result)};
  const config::Loaded as_it_was = config::load(path, {}, config::Purpose::kRun);
  if (as_it_was.config.system.ni.impl != config::Implementation::kSystemc)
    overrides.emplace_back("system.ni.impl=systemc");
  if (as_it_was.config.system.router.impl != config::Implementation::kSystemc)
    overrides.emplace_back("system.router.impl=systemc");
  return config::load(path, overrides, config::Purpose::kRun);
}

ordered_json run_again(const config::Loaded& loaded, const system::RunOptions& options) {
  if (config::runs_program(loaded.config))
    return system::run_program(loaded, system::load_program(loaded), options);
  if (!loaded.config.training.model.empty()) return system::run_training(loaded, options);
  return system::run_program(loaded, system::load_program(loaded), options);
}

ordered_json simulate(const std::string& path, const ordered_json& result,
                      const std::atomic<bool>* interrupted) {
  const config::Loaded loaded = load_again(path, result);
  system::RunOptions options;
  options.interrupted = interrupted;
  options.record = true;
  ordered_json again = run_again(loaded, options);
  if (again.at("cycles") != result.at("cycles")) {
    return {{"skipped", fmt::format("With this version of coppice, the configuration takes {} cycles, but "
                                    "the result has {}: run the configuration again to show links and ports "
                                    "over time.",
                                    again.at("cycles").dump(), result.at("cycles").dump())}};
  }
  if (again.contains("stretches")) return {{"stretches", again["stretches"]}};
  return again.at("profile");
}

std::string too_long(const std::string& how) {
  return fmt::format(
      "Links and ports over time are not shown, because the run {}: run the configuration with --record, or "
      "raise --replay-seconds.",
      how);
}

std::string reason_to_skip(const ordered_json& result, double most_seconds) {
  if (result.value("schema", "") != "coppice.result/1" || !result.contains("config") ||
      !result.contains("cycles")) {
    return "Links and ports over time are shown only for results of coppice run.";
  }
  if (most_seconds <= 0) return "Links and ports over time are not shown, because --replay-seconds is 0.";
  const double seconds = result.contains("simulator") ? result["simulator"].value("wall_s", 0.0) : 0.0;
  return seconds <= most_seconds ? "" : too_long(fmt::format("took {:.0f} s", seconds));
}

}  // namespace

ordered_json replay(const std::string& path, const ordered_json& result, double most_seconds,
                    const std::atomic<bool>* interrupted) {
  const std::string reason = reason_to_skip(result, most_seconds);
  if (!reason.empty()) return {{"skipped", reason}};
  try {
    return system::run_in_child([&] { return simulate(path, result, interrupted); }, interrupted,
                                most_seconds);
  } catch (const system::Interrupted&) {
    throw;
  } catch (const system::OutOfTime&) {
    return {{"skipped", too_long(fmt::format("did not finish within {:g} s", most_seconds))}};
  } catch (const std::exception& error) {
    return {{"skipped",
             fmt::format("The run could not be repeated to show its activity over time: {}. A result that "
                         "coppice run --record writes contains this activity.",
                         error.what())}};
  }
}

}  // namespace coppice::app
