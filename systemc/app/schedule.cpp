// coppice schedule: builds, checks and prints a schedule.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/progress.h"
#include "base/error.h"
#include "schedule/files/msccl_print.h"
#include "schedule/files/print.h"
#include "schedule/files/tacos_file.h"
#include "system/machine/build.h"
#include "system/machine/time_guard.h"
#include "system/program/lone_collective.h"

namespace coppice::app {
namespace {

struct ScheduleLine {
  Input input;
  std::string format = "text";
};

std::string render(const std::string& format, const config::SystemConfig& system,
                   const topology::Topology& topology, const system::CheckedSchedule& checked,
                   const schedule::NiOverhead& overhead) {
  if (format == "json") return schedule::to_json(topology, checked.schedule, checked.report, overhead);
  if (format == "tables") {
    return schedule::to_tables(topology, checked.schedule, checked.report, system.ni.lockstep);
  }
  if (format == "dot") return schedule::to_dot(topology, checked.schedule);
  try {
    if (format == "msccl") return schedule::to_msccl(topology, checked.schedule);
    if (format == "tacos") return schedule::to_tacos(topology, checked.schedule);
  } catch (const UnsupportedError& error) {
    throw ConfigError({"--format " + format}, error.what());
  }
  return schedule::to_text(topology, checked.schedule, checked.report, overhead);
}

void print_line(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  print(text);
}

// Prints the schedule of an all-to-all. Since its tables are those of an all-gather of all blocks, output in
// another tool's format must name the collective that is meant.
std::string render_all_to_all(const std::string& format, const config::SystemConfig& system,
                              const system::LoneSchedule& lone) {
  if (format == "tacos") {
    throw ConfigError({"--format tacos"},
                      "TACOS does not support all-to-alls: write msccl, json, tables, dot or text");
  }
  try {
    if (format == "msccl") return schedule::all_to_all_to_msccl(lone.network, lone.compiled.schedule);
  } catch (const UnsupportedError& error) {
    throw ConfigError({"--format msccl"}, error.what());
  }
  return render(format, system, lone.network, {lone.compiled.schedule, lone.compiled.report, {}},
                lone.overhead);
}

// Prints the schedule of the collective. Nodes are numbered as in the network of the group's members.
std::string render(const std::string& format, const config::Loaded& loaded) {
  const system::LoneSchedule lone = system::within_time(
      loaded, "collective.size", [&] { return system::schedule_lone_collective(loaded); });
  const config::SystemConfig& system = loaded.config.system;
  std::string text = lone.compiled.op == workload::CollectiveOp::kAllToAll
                         ? render_all_to_all(format, system, lone)
                         : render(format, system, lone.network,
                                  {lone.compiled.schedule, lone.compiled.report, {}}, lone.overhead);
  if (format == "text" && !loaded.config.collective.group.empty()) {
    text = fmt::format("accelerators 0 to {} are the machine's accelerators {}\n",
                       lone.compiled.accelerators.size() - 1, fmt::join(lone.compiled.accelerators, ", ")) +
           text;
  }
  return text;
}

void execute(const ScheduleLine& line) {
  catch_interrupts();
  constexpr std::array kFormats{"text", "json", "tables", "dot", "msccl", "tacos"};
  if (std::ranges::find(kFormats, line.format) == kFormats.end()) {
    throw ConfigError({"--format " + line.format},
                      fmt::format("'{}' is not one of {}", line.format, fmt::join(kFormats, ", ")));
  }
  const config::Loaded loaded = load(line.input, config::Purpose::kSchedule);
  std::optional<ProgressLine> progress(loaded.config.collective.algorithm);
  std::string text = render(line.format, loaded);
  progress.reset();
  print_line(std::move(text));
}

}  // namespace

Command add_schedule(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("schedule", "build, check and print the schedule of a collective");
  auto line = std::make_shared<ScheduleLine>();
  add_input(*app, line->input);
  app->add_option(
         "--format", line->format,
         "text, json, tables (the network interfaces' tables as JSON), dot (Graphviz), msccl (XML that "
         "runs on GPUs) or tacos (CSV)")
      ->type_name("FORMAT")
      ->capture_default_str();
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
