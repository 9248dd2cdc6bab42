// coppice topology: the network of a configuration, for other tools.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/interrupt.h"
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

// The network's parts and, if hardware.technology is set, its area without tables.
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
  using Print = std::string (*)(const topology::Topology&);
  Print print_as = nullptr;
  if (line.format == "dot") print_as = topology::to_dot;
  if (line.format == "graphml") print_as = topology::to_graphml;
  if (line.format == "tacos") print_as = topology::to_tacos;
  if (line.format == "structure") print_as = topology::describe_structure;
  if (print_as == nullptr) {
    throw ConfigError({"--format " + line.format},
                      fmt::format("'{}' is none of dot, graphml, tacos, json, structure", line.format));
  }
  try {
    print(print_as(system::build_topology(loaded)));
  } catch (const UnsupportedError& error) {
    throw ConfigError({"--format " + line.format}, error.what());
  }
}

}  // namespace

Command add_topology(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "topology", "print the network for Graphviz, GraphML tools or TACOS, or describe its structure");
  auto line = std::make_shared<TopologyLine>();
  add_input(*app, line->input);
  app->add_option(
         "--format", line->format,
         "dot (Graphviz), graphml, tacos (CSV), json (summary numbers) or structure (symmetries, planes)")
      ->type_name("FORMAT")
      ->capture_default_str();
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
