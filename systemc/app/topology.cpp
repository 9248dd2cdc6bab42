// coppice topology: the network of a configuration, for other tools.
#include <memory>

#include <fmt/format.h>

#include "app/command.h"
#include "app/interrupt.h"
#include "base/error.h"
#include "system/machine/build.h"
#include "topology/print.h"

namespace coppice::app {
namespace {

struct TopologyLine {
  Input input;
  std::string format = "dot";
};

void execute(const TopologyLine& line) {
  catch_interrupts();
  using Print = std::string (*)(const topology::Topology&);
  Print print_as = nullptr;
  if (line.format == "dot") print_as = topology::to_dot;
  if (line.format == "graphml") print_as = topology::to_graphml;
  if (line.format == "tacos") print_as = topology::to_tacos;
  if (print_as == nullptr) {
    throw ConfigError({"--format " + line.format},
                      fmt::format("'{}' is none of dot, graphml, tacos", line.format));
  }
  const config::Loaded loaded =
      config::load(line.input.path, line.input.overrides, config::Purpose::kTraffic);
  try {
    print(print_as(system::build_topology(loaded)));
  } catch (const UnsupportedError& error) {
    throw ConfigError({"--format " + line.format}, error.what());
  }
}

}  // namespace

Command add_topology(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("topology", "print the network for Graphviz, GraphML tools or TACOS");
  auto line = std::make_shared<TopologyLine>();
  add_input(*app, line->input);
  app->add_option("--format", line->format, "dot (Graphviz), graphml or tacos (CSV)")
      ->type_name("FORMAT")
      ->capture_default_str();
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
