// coppice schedule: a schedule built, checked and printed.
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
#include "system/program/all_to_all.h"

namespace coppice::app {
namespace {

struct ScheduleLine {
  Input input;
  std::string format = "text";
};

// An all-to-all has no schedule of one collective; what MSCCL runs has.
bool writes_all_to_all(const config::Config& config, const std::string& format) {
  return config.collective.op == "all_to_all" && config.collective.group.empty() && format == "msccl";
}

std::string render_all_to_all(const config::Loaded& loaded, const topology::Topology& topology,
                              const topology::RoutingFunction& routing) {
  try {
    return schedule::all_to_all_to_msccl(
        topology, system::compile_all_to_all(loaded, topology, routing, loaded.config.collective.size));
  } catch (const UnsupportedError& error) {
    throw ConfigError({"--format msccl"}, error.what());
  }
}

std::string render(const std::string& format, const topology::Topology& topology,
                   const system::CheckedSchedule& checked, const schedule::NiOverhead& overhead) {
  if (format == "json") return schedule::to_json(topology, checked.schedule, checked.report, overhead);
  if (format == "dot") return schedule::to_dot(topology, checked.schedule);
  try {
    if (format == "msccl") return schedule::to_msccl(topology, checked.schedule);
    if (format == "tacos") return schedule::to_tacos(topology, checked.schedule);
  } catch (const UnsupportedError& error) {
    throw ConfigError({"--format " + format}, error.what());
  }
  return schedule::to_text(topology, checked.schedule, checked.report, overhead);
}

void execute(const ScheduleLine& line) {
  catch_interrupts();
  constexpr std::array kFormats{"text", "json", "dot", "msccl", "tacos"};
  if (std::ranges::find(kFormats, line.format) == kFormats.end()) {
    throw ConfigError({"--format " + line.format},
                      fmt::format("'{}' is none of {}", line.format, fmt::join(kFormats, ", ")));
  }
  const config::Loaded loaded = load(line.input, config::Purpose::kSchedule);
  std::optional<ProgressLine> progress(loaded.config.collective.algorithm);
  const topology::Topology topology = system::build_topology(loaded);
  const auto routing = system::build_routing(loaded, topology);
  std::string text = system::within_time(loaded, "collective.size", [&] {
    if (writes_all_to_all(loaded.config, line.format)) return render_all_to_all(loaded, topology, *routing);
    const auto checked = system::build_schedule(loaded, topology, *routing);
    return render(line.format, topology, checked,
                  system::ni_overhead(loaded.config.system, topology, checked.schedule));
  });
  progress.reset();
  if (!text.ends_with('\n')) text += '\n';
  print(text);
}

}  // namespace

Command add_schedule(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("schedule", "build, check and print the schedule of a collective");
  auto line = std::make_shared<ScheduleLine>();
  add_input(*app, line->input);
  app->add_option("--format", line->format,
                  "text, json, dot (Graphviz), msccl (XML that runs on GPUs) or tacos (CSV)")
      ->type_name("FORMAT")
      ->capture_default_str();
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
