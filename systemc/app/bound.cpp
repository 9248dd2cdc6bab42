// coppice bound: the least time that any schedule could take.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "base/error.h"
#include "config/settings/lone_collective_config.h"
#include "system/machine/build.h"
#include "system/machine/least_time.h"
#include "system/program/lone_collective.h"
#include "topology/bounds/bound.h"

namespace coppice::app {
namespace {

struct BoundLine {
  Input input;
  std::string out;
};

system::LeastTime find_least_time(const config::Loaded& loaded, const topology::Topology& topology) {
  try {
    return system::find_least_time(loaded, topology);
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place("system.topology"), error.what());
  }
}

// The bound and its proof in words.
std::string describe(const config::Loaded& loaded, const topology::Topology& topology,
                     const system::LeastTime& least) {
  const config::CollectiveConfig& collective = loaded.config.collective;
  const topology::LeastTime& bandwidth = least.bandwidth;
  std::string text = fmt::format("{} of {} on {}: at least {:.3f} ns", collective.op,
                                 format_bytes(collective.size), topology.name(), bandwidth.ns());
  if (bandwidth.groups.empty()) return text + ": one accelerator has nothing to move\n";
  const bool out = bandwidth.direction == topology::Direction::kOut;
  text += fmt::format(": {} must {} {} of accelerators, which {} {}\n", format_bytes(bandwidth.bytes),
                      out ? "leave" : "enter",
                      bandwidth.groups.size() == 2 ? "the first of 2 groups"
                                                   : fmt::format("{} groups", bandwidth.groups.size()),
                      out ? "can send at" : "can receive at", format_bandwidth({bandwidth.bytes_per_second}));
  text += fmt::format("  groups: {}\n", topology::describe_groups(bandwidth));
  return text + fmt::format("  latency of the farthest pair, one way: {:.3f} ns\n", least.latency_ns);
}

using Json = nlohmann::ordered_json;

// The fields that all results share.
Json header(const config::Loaded& loaded) {
  Json json;
  json["schema"] = "coppice.bound/1";
  json["version"] = COPPICE_VERSION;
  config::write_config(loaded.config, json);
  json["collective"] = loaded.config.collective.op;
  json["size_bytes"] = loaded.config.collective.size;
  return json;
}

// The bound of a group's collective, or of an all-to-all, on the group's own network; its groups are numbered
// as in the machine.
void bound_lone(const config::Loaded& loaded, system::ResultFile* out) {
  const system::GroupBound bound = system::bound_lone_collective(loaded);
  std::vector<std::vector<topology::NodeId>> groups = bound.least.bandwidth.groups;
  for (auto& group : groups) {
    for (topology::NodeId& member : group) member = bound.accelerators[static_cast<std::size_t>(member)];
    std::ranges::sort(group);
  }
  if (out == nullptr) {
    const config::CollectiveConfig& collective = loaded.config.collective;
    std::string text = fmt::format("{} of {} among {} accelerators on {}: at least {:.3f} ns\n",
                                   collective.op, format_bytes(collective.size), bound.accelerators.size(),
                                   bound.network, bound.bandwidth_ns);
    std::vector<std::string> lists;
    for (const auto& group : groups) lists.push_back(fmt::format("{}", fmt::join(group, ", ")));
    text += groups.empty()
                ? "  proven by the path lengths of all blocks: --out writes the channels' lengths\n"
                : fmt::format("  groups: {}\n", fmt::join(lists, " | "));
    print(text + fmt::format("  latency of the farthest pair, one way: {:.3f} ns\n", bound.least.latency_ns));
    return;
  }
  Json json = header(loaded);
  json["time_ns"] = bound.bandwidth_ns;
  json["latency_ns"] = bound.least.latency_ns;
  json["groups"] = groups;
  if (!bound.lengths.empty()) json["lengths"] = bound.lengths;
  json["network"] = bound.network;
  out->write(json_text(json));
}

void execute(const BoundLine& line) {
  catch_interrupts();
  const config::Loaded loaded = load(line.input, config::Purpose::kBound);
  Outputs outputs(line.input.path, loaded);
  system::ResultFile* out = outputs.add("--out", line.out);

  if (config::runs_lone_collective(loaded.config)) {
    bound_lone(loaded, out);
    return;
  }
  std::optional<ProgressLine> progress("bound");
  const topology::Topology topology = system::build_topology(loaded);
  const system::LeastTime least = find_least_time(loaded, topology);
  progress.reset();
  if (out == nullptr) {
    print(describe(loaded, topology, least));
    return;
  }
  const topology::LeastTime& bandwidth = least.bandwidth;
  Json json = header(loaded);
  json["time_ns"] = bandwidth.ns();
  json["latency_ns"] = least.latency_ns;
  json["groups"] = bandwidth.groups;
  json["passing"] = {{"bytes", bandwidth.bytes},
                     {"bandwidth_gb_s", Bandwidth{bandwidth.bytes_per_second}.gb_per_s()},
                     {"direction", bandwidth.direction == topology::Direction::kOut ? "out" : "in"}};
  out->write(json_text(json));
}

}  // namespace

Command add_bound(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("bound", "a lower bound on the time of a collective, for any schedule");
  auto line = std::make_shared<BoundLine>();
  add_input(*app, line->input);
  app->add_option("--out", line->out, "write the bound and its cut as JSON")->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
