// coppice bound: the least time that any schedule could take.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "base/error.h"
#include "system/machine/build.h"
#include "topology/bound.h"

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

void execute(const BoundLine& line) {
  exit_on_interrupt();
  const config::Loaded loaded = load(line.input, config::Purpose::kBound);
  Outputs outputs(line.input.path);
  system::ResultFile* out = outputs.add("--out", line.out);

  const config::CollectiveConfig& collective = loaded.config.collective;
  const topology::Topology topology = system::build_topology(loaded);
  const auto [cut, time_ns] = find_least_time(loaded, topology);
  const Bandwidth exit{cut.exit_bytes_per_second};
  if (out == nullptr) {
    print(fmt::format(
        "{} of {} on {}: at least {:.3f} ns; the worst cut holds {} of {} accelerators and lets "
        "{} {}\n",
        collective.op, format_bytes(collective.size), topology.name(), time_ns, cut.accelerators_in_cut,
        topology.num_accelerators(), collective.op == "reduce" ? "in" : "out", format_bandwidth(exit)));
    return;
  }
  nlohmann::ordered_json json;
  json["schema"] = "coppice.bound/1";
  json["version"] = COPPICE_VERSION;
  config::write_config(loaded.config, json);
  json["op"] = collective.op;
  json["size_bytes"] = collective.size;
  json["time_ns"] = time_ns;
  json["cut"] = {{"accelerators", cut.accelerators_in_cut},
                 {"exit_bandwidth_gb_s", exit.gb_per_s()},
                 {"nodes", cut.cut}};
  out->write(json.dump(2) + "\n");
}

}  // namespace

Command add_bound(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("bound", "the least time that any schedule of a collective could take");
  auto line = std::make_shared<BoundLine>();
  add_input(*app, line->input);
  app->add_option("--out", line->out, "write the bound and its cut as JSON")->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
