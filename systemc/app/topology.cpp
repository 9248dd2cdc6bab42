// coppice topology: prints the network of a configuration in a format for other tools.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/print_network.h"
#include "base/error.h"
#include "system/machine/build.h"
#include "system/output/hardware.h"
#include "topology/files/print.h"
#include "topology/structure/print.h"

namespace coppice::app {
namespace {

struct TopologyLine {
  Input input;
  std::string format = "dot";
};

// Describes the size of the network and, if hardware.technology is set, its area, assuming empty tables.
nlohmann::ordered_json describe(const config::Loaded& loaded) {
  const topology::Topology topology = system::build_topology(loaded);
  nlohmann::ordered_json json = topology::to_json(topology);
  if (!loaded.config.hardware.technology.empty()) {
    json["hardware"] = system::hardware_area(loaded, topology, nullptr);
  }
  return json;
}

void execute(const TopologyLine& line) {
  catch_interrupts();
  const config::Loaded loaded =
      config::load(line.input.path, line.input.overrides, config::Purpose::kTraffic);
  if (line.format == "json") {
    print(json_text(describe(loaded)));
    return;
  }
  const topology::Topology topology = system::build_topology(loaded);
  if (line.format == "structure") {
    print(topology::describe_structure(topology));
  } else {
    print(print_network(topology, line.format, "--format"));
  }
}

}  // namespace

Command add_topology(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "topology", "print the network in a format for other tools, or describe its structure");
  auto line = std::make_shared<TopologyLine>();
  add_input(*app, line->input);
  app->add_option("--format", line->format,
                  "graph (Coppice's own), graphml, dot (Graphviz), infragraph, tacos (CSV), json (summary "
                  "numbers) or structure (symmetries, planes)")
      ->type_name("FORMAT")
      ->capture_default_str();
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
