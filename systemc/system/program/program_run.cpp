#include "system/program/program_run.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "config/files/program_file.h"
#include "config/settings/lone_collective_config.h"
#include "config/settings/shape.h"
#include "system/machine/build.h"
#include "system/machine/time_guard.h"
#include "system/output/leaps.h"
#include "system/output/link_utilization.h"
#include "system/output/possible.h"
#include "system/output/result_frame.h"
#include "system/output/statistics.h"
#include "system/process/auto_fidelity.h"
#include "system/process/cost_meter.h"
#include "system/program/failing_run.h"
#include "system/program/job_programs.h"
#include "system/program/large_program.h"
#include "system/program/lone_collective.h"
#include "system/program/program_machine.h"
#include "system/program/program_timeline.h"
#include "system/program/text_workload_program.h"
#include "system/program/verilog_program.h"
#include "workload/chakra/import.h"

namespace coppice::system {
namespace {

using topology::NodeId;

// The key that a program comes from.
std::string origin(const config::Loaded& loaded) {
  if (config::runs_lone_collective(loaded.config)) return "collective";
  if (config::runs_inference(loaded.config)) return "workload.inference";
  return loaded.places.contains("program") ? "program" : "training";
}

class ProgramRun {
 public:
  ProgramRun(const ProgramSetup& setup, const RunOptions& options)
      : setup_(setup), options_(options), machine_(setup, options) {
    if (machine_.trace() != nullptr) machine_.trace()->name_actors("accelerators");
  }

  nlohmann::ordered_json run() {
    const CostMeter cost;
    machine_.run();
    const ProgramTimeline timeline(machine_.state(), machine_.fabric().period());
    if (machine_.trace() != nullptr) {
      timeline.trace(*machine_.trace());
      machine_.trace()->finish();
    }
    return result(timeline, cost);
  }

 private:
  const config::Config& config() const { return setup_.loaded.config; }

  // By what passes over layers were timed, and by how much the network interfaces delayed them.
  nlohmann::ordered_json passes() const {
    const SharedPasses& passes = machine_.passes();
    const double ns = static_cast<double>(passes.delay()) * static_cast<double>(machine_.fabric().period()) /
                      static_cast<double>(kFemtosecondsPerNanosecond);
    return {{"formula", passes.by_formula()},
            {"tiles", passes.by_tiles()},
            {"delayed_ns", ns / static_cast<double>(setup_.program.ranks.size())}};
  }

  nlohmann::ordered_json result(const ProgramTimeline& timeline, const CostMeter& cost) const {
    const Femtoseconds period = machine_.fabric().period();
    const fabric::FabricStatistics& statistics = machine_.fabric().statistics();
    const ProgramState& state = machine_.state();
    const workload::Program& program = setup_.program;
    nlohmann::ordered_json json = begin_result("coppice.result/1", config());
    for (const std::string& assumption : program.assumptions) json["assumptions"].push_back(assumption);
    json["program"] = {{"name", program.name},
                       {"ranks", program.ranks.size()},
                       {"operations", state.operations()},
                       {"messages", state.messages()}};
    json["verified"] = state.verified();
    json["fidelity"] = config::to_string(setup_.fidelity);
    json["cycles"] = state.last();
    json["time_ns"] = static_cast<double>(state.last()) * static_cast<double>(period) /
                      static_cast<double>(kFemtosecondsPerNanosecond);
    json["iterations"] = timeline.iterations();
    json["collectives"] = timeline.collectives();
    if (!config().program.jobs.empty() || !config().program.failures.empty()) json["jobs"] = timeline.jobs();
    json["accelerators"] = timeline.accelerators();
    if (machine_.passes().limited()) json["passes"] = passes();
    json["flits"] = statistics.flits_injected;
    json["flit_hops"] = statistics.flit_hops;
    // What is under way at the stop counts whole.
    if (machine_.complete()) {
      json["link_utilization"] =
          link_utilization(config().system, setup_.prepared.topology, statistics, state.last() * period);
    }
    if (setup_.fidelity == config::Fidelity::kLeap) {
      const Machine& machine = machine_.machine();
      json["leap"] =
          leaps(state.last(), machine.leapt(), setup_.prepared.topology.num_nodes(), machine.stretched());
    }
    write_flits_beside_trains(setup_.meetings, json);
    end_result(json, machine_.machine(), options_.statistics_path, cost);
    if (config::runs_lone_collective(config())) {
      const CompiledCollective& compiled = *state.exchange(1).compiled;
      add_collective_fields(json, compiled, config().collective.size);
      json["ni_overhead"] =
          schedule::to_json(ni_overhead(config().system, setup_.prepared.topology, compiled.schedule));
    }
    require_possible(json);
    return json;
  }

  // Each collective against the least time on its group's network, the channels against theirs.
  static void require_possible(const nlohmann::ordered_json& json) {
    if (json.contains("link_utilization")) {
      require_part("link_utilization.max", json["link_utilization"]["max"].get<double>());
    }
    for (const auto& collective : json["collectives"]) {
      if (!collective.contains("efficiency")) continue;
      require_part(fmt::format("efficiency of '{}'", collective["name"].get<std::string>()),
                   collective["efficiency"].get<double>());
    }
  }

  const ProgramSetup setup_;
  const RunOptions& options_;
  ProgramMachine machine_;
};

workload::Program load_trace(const config::Loaded& loaded) {
  const config::ProgramConfig& program = loaded.config.program;
  auto imported = workload::chakra::import_chakra(program.trace, {program.groups, program.follow_control});
  imported.program.assumptions = std::move(imported.assumptions);
  return std::move(imported.program);
}

// One thing runs.
void require_one_origin(const config::Loaded& loaded) {
  const config::Config& config = loaded.config;
  std::vector<const char*> set;
  if (!config.program.jobs.empty()) set.push_back("program.jobs");
  if (!config.program.file.empty()) set.push_back("program.file");
  if (!config.program.trace.empty()) set.push_back("program.trace");
  if (!config.training.model.empty()) set.push_back("training.model");
  if (config::runs_inference(config)) set.push_back("workload.inference.model");
  if (set.size() < 2) return;
  throw ConfigError(loaded.place(set[1]),
                    fmt::format("{} and {} both say what runs: leave one of them out", set[0], set[1]));
}

}  // namespace

workload::Program load_program(const config::Loaded& loaded) {
  require_one_origin(loaded);
  if (!loaded.config.program.jobs.empty()) return load_jobs(loaded);
  if (config::runs_lone_collective(loaded.config)) return make_lone_collective(loaded);
  if (config::trains_text_workload(loaded.config)) return load_text_program(loaded);
  if (config::runs_inference(loaded.config)) return load_inference(loaded);
  if (config::trains_large_model(loaded.config)) return load_large_program(loaded);
  if (!loaded.config.program.trace.empty()) return load_trace(loaded);
  return config::read_program_file(loaded.config.program.file);
}

namespace {

// On a network, up to a cycle if that is above 0.
nlohmann::ordered_json run_stretch(const config::Loaded& loaded, const workload::Program& program,
                                   const std::vector<Job>& jobs, const GradientChain& chain,
                                   const RunOptions& options, const topology::Topology& network,
                                   Cycles stop) {
  const std::string key = origin(loaded);
  const auto prepared = within_time(
      loaded, key, [&] { return std::make_unique<PreparedProgram>(loaded, key, program, jobs, network); });
  const auto run = [&](config::Fidelity fidelity, fabric::Meetings* meetings = nullptr) {
    return within_time(loaded, key, [&] {
      const ProgramSetup setup{.loaded = loaded,
                               .program = program,
                               .jobs = jobs,
                               .prepared = *prepared,
                               .fidelity = fidelity,
                               .chain = &chain,
                               .meetings = meetings,
                               .stop = stop};
      return ProgramRun(setup, options).run();
    });
  };
  if (runs_in_verilog(loaded)) {
    if (loaded.config.fidelity != config::Fidelity::kFlit &&
        loaded.config.fidelity != config::Fidelity::kAuto) {
      throw ConfigError(loaded.place("fidelity"), "fidelity: the Verilog speaks flits: write flit or auto");
    }
    return run(config::Fidelity::kFlit);
  }
  if (loaded.config.fidelity != config::Fidelity::kAuto) return run(loaded.config.fidelity, options.meetings);
  return run_auto(run, prepared->flit_hops, true, options.interrupted);
}

}  // namespace

nlohmann::ordered_json run_program(const config::Loaded& loaded, const workload::Program& program,
                                   const RunOptions& options, const GradientChain& chain) {
  const std::string key = origin(loaded);
  if (!options.vcd_path.empty() || !options.fst_path.empty()) {
    throw ConfigError(
        {options.vcd_path.empty() ? "--fst" : "--vcd"},
        "a program's signals are not recorded: --trace shows its operations, messages and channels");
  }
  try {
    workload::check_program(program);
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place(key), fmt::format("{}: {}", key, error.what()));
  }
  if (loaded.config.program.failures.empty() || !config::runs_program(loaded.config)) {
    // The training of a layer table is no program of the configuration.
    const auto jobs = config::runs_program(loaded.config)
                          ? jobs_of(loaded.config, program)
                          : std::vector<Job>{{program.name, 0, static_cast<int>(program.ranks.size()), 0}};
    return run_stretch(loaded, program, jobs, chain, options, build_topology(loaded), 0);
  }
  return run_failing(
      loaded, program, options,
      [&](const workload::Program& left, const std::vector<Job>& jobs, const topology::Topology& network,
          Cycles stop) { return run_stretch(loaded, left, jobs, chain, options, network, stop); });
}

std::string summarize_program(const nlohmann::ordered_json& result) {
  const auto& program = result["program"];
  std::string text =
      fmt::format("{} operations on {} ranks: {} cycles, {:.1f} ns ({} fidelity, verified: {})\n",
                  program["operations"].get<std::int64_t>(), program["ranks"].get<std::int64_t>(),
                  result["cycles"].get<Cycles>(), result["time_ns"].get<double>(),
                  result["fidelity"].get<std::string>(), result["verified"].get<std::string>());
  if (result.contains("fidelity_reason")) {
    text += fmt::format("  {}: {}\n", describe_flits(result), result["fidelity_reason"].get<std::string>());
  }
  for (const auto& failure : result.value("failures", nlohmann::ordered_json::array())) {
    text += fmt::format("  {:.1f} ns: {} failed: {}\n", failure["at_ns"].get<double>(),
                        failure["failed"].get<std::string>(), failure["effect"].get<std::string>());
  }
  for (const auto& job : result.value("jobs", nlohmann::ordered_json::array())) {
    text += fmt::format(
        "  {}: ended at {:.1f} ns{}\n", job["name"].get<std::string>(), job["end_ns"].get<double>(),
        job.contains("unfinished")
            ? fmt::format(", unfinished after {} of {} iterations: {}", job["iterations"].size(),
                          job["of"].get<int>(), job["unfinished"].get<std::string>())
            : "");
  }
  constexpr std::size_t kMostLines = 8;
  std::size_t number = 0;
  for (const auto& iteration : result["iterations"]) {
    if (number++ == kMostLines) {
      text += fmt::format("  and {} more iterations\n", result["iterations"].size() - kMostLines);
      break;
    }
    const double time = std::max(1e-9, iteration["time_ns"].get<double>());
    const auto part = [&](const char* name) { return 100 * iteration[name].get<double>() / time; };
    text += fmt::format(
        "  iteration {}: {:.1f} ns: {:.1f}% compute, {:.1f}% memory, {:.1f}% exposed "
        "communication, {:.1f}% waiting for others, {:.1f}% idle\n",
        number, iteration["time_ns"].get<double>(), part("compute_ns"), part("memory_ns"), part("exposed_ns"),
        part("bubble_ns"), part("idle_ns"));
    for (const auto& [kind, ns] : iteration["exposed"].items()) {
      text += fmt::format("    exposed {:<14} {:>14.1f} ns\n", kind, ns.get<double>());
    }
  }
  if (result.contains("inference")) {
    const auto& inference = result["inference"];
    text += fmt::format(
        "  time to the first token {:.3f} ms, per token {:.3f} ms, of that {:.3f} ms exposed "
        "communication\n",
        inference["time_to_first_token_ns"].get<double>() * 1e-6,
        inference["time_per_token_ns"].get<double>() * 1e-6,
        inference["exposed_per_token_ns"].get<double>() * 1e-6);
  }
  if (result.contains("bound")) {
    text += fmt::format("  algorithm bandwidth {:.2f} GB/s, bus bandwidth {:.2f} GB/s, efficiency {:.1f}%\n",
                        result["algbw_gb_s"].get<double>(), result["busbw_gb_s"].get<double>(),
                        100 * result["efficiency"].get<double>());
  }
  text += fmt::format("  {} collectives and transfers", result["collectives"].size());
  if (result.contains("link_utilization")) {
    text += fmt::format(", link utilization {:.1f}% mean, {:.1f}% max",
                        100 * result["link_utilization"]["mean"].get<double>(),
                        100 * result["link_utilization"]["max"].get<double>());
  }
  text += "\n";
  if (result.contains("passes")) {
    const auto& passes = result["passes"];
    text += fmt::format(
        "  {} passes by the formula, {} tile by tile, which lost {:.1f} ns of an accelerator to "
        "its network interface\n",
        passes["formula"].get<std::int64_t>(), passes["tiles"].get<std::int64_t>(),
        passes["delayed_ns"].get<double>());
  }
  const auto& simulator = result["simulator"];
  text +=
      fmt::format("  simulated {} flit-hops{} in {:.2f} s ({:.0f} MiB)\n",
                  result["flit_hops"].get<std::int64_t>(), result["fidelity"] == "train" ? " as trains" : "",
                  simulator["wall_s"].get<double>(), simulator["peak_rss_bytes"].get<double>() / 1048576.0);
  return text;
}

}  // namespace coppice::system
