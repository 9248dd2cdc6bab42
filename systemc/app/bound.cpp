// coppice bound: computes a lower bound on the time of any schedule.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "base/error.h"
#include "system/machine/attainable.h"
#include "system/program/compiled_collectives.h"
#include "system/program/lone_collective.h"
#include "topology/bounds/bound.h"

namespace coppice::app {
namespace {

struct BoundLine {
  Input input;
  std::string out;
};

using Json = nlohmann::ordered_json;

bool exchanges_blocks(const config::Loaded& loaded) {
  return loaded.config.collective.op == workload::CollectiveOp::kAllToAll;
}

// Computes the bound. The accelerators in its groups have the machine's numbers.
system::GroupBound find_bound(const config::Loaded& loaded) {
  try {
    system::GroupBound bound = system::bound_lone_collective(loaded);
    for (auto& group : bound.least.bandwidth.groups) {
      for (topology::NodeId& member : group) member = bound.accelerators[static_cast<std::size_t>(member)];
      std::ranges::sort(group);
    }
    return bound;
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place("system.topology"), error.what());
  }
}

double attainable(const config::Loaded& loaded, const system::GroupBound& bound) {
  return system::attainable_efficiency(system::framing_of(loaded.config.system), bound.bandwidth_ns,
                                       bound.least.latency_ns);
}

// Describes the bound and its proof.
std::string describe(const config::Loaded& loaded, const system::GroupBound& bound) {
  const workload::CollectiveSpec& collective = loaded.config.collective;
  const topology::LeastTime& bandwidth = bound.least.bandwidth;
  const std::string members =
      collective.group.empty() ? "" : fmt::format(" among {} accelerators", bound.accelerators.size());
  std::string text = fmt::format("{} of {}{} on {}: at least {:.3f} ns", to_string(collective.op),
                                 format_bytes(collective.size), members, bound.network, bound.bandwidth_ns);
  if (bound.accelerators.size() < 2) return text + ": a single accelerator has no data to move\n";
  if (!exchanges_blocks(loaded)) {
    const bool out = bandwidth.direction == topology::Direction::kOut;
    text +=
        fmt::format(": {} must {} {} of accelerators, which {} {}", format_bytes(bandwidth.bytes),
                    out ? "leave" : "enter",
                    bandwidth.groups.size() == 2 ? "the first of 2 groups"
                                                 : fmt::format("{} groups", bandwidth.groups.size()),
                    out ? "can send at" : "can receive at", format_bandwidth({bandwidth.bytes_per_second}));
  }
  text += bandwidth.groups.empty()
              ? "\n  proof: shortest paths over weighted channels; --out FILE writes the weights (lengths)\n"
              : fmt::format("\n  groups: {}\n", topology::describe_groups(bandwidth));
  text += fmt::format("  one-way latency between the farthest pair: {:.3f} ns\n", bound.least.latency_ns);
  return text + fmt::format("  attainable efficiency with packet head flits: {:.1f}%\n",
                            100 * attainable(loaded, bound));
}

Json to_json(const config::Loaded& loaded, const system::GroupBound& bound) {
  const topology::LeastTime& bandwidth = bound.least.bandwidth;
  Json json;
  json["schema"] = "coppice.bound/1";
  json["version"] = COPPICE_VERSION;
  config::write_config(loaded.config, json);
  json["collective"] = to_string(loaded.config.collective.op);
  json["size_bytes"] = loaded.config.collective.size;
  json["time_ns"] = bound.bandwidth_ns;
  json["latency_ns"] = bound.least.latency_ns;
  json["attainable"] = attainable(loaded, bound);
  json["groups"] = bandwidth.groups;
  if (!exchanges_blocks(loaded)) {
    json["passing"] = {{"bytes", bandwidth.bytes},
                       {"bandwidth_gb_s", Bandwidth{bandwidth.bytes_per_second}.gb_per_s()},
                       {"direction", bandwidth.direction == topology::Direction::kOut ? "out" : "in"}};
  }
  if (!bound.lengths.empty()) json["lengths"] = bound.lengths;
  json["network"] = bound.network;
  return json;
}

void execute(const BoundLine& line) {
  catch_interrupts();
  const config::Loaded loaded = load(line.input, config::Purpose::kBound);
  Outputs outputs(line.input.path, loaded);
  system::ResultFile* out = outputs.add("--out", line.out);
  std::optional<ProgressLine> progress("bound");
  const system::GroupBound bound = find_bound(loaded);
  progress.reset();
  if (out == nullptr) {
    print(describe(loaded, bound));
  } else {
    out->write(json_text(to_json(loaded, bound)));
  }
}

}  // namespace

Command add_bound(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "bound", "compute a lower bound, valid for any schedule, on the time of a collective");
  auto line = std::make_shared<BoundLine>();
  add_input(*app, line->input);
  app->add_option("--out", line->out, "write the bound and its proof as JSON")->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
