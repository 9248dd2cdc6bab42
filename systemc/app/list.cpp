// coppice list: prints the names that configurations and command-line options accept.
#include <fmt/format.h>

#include "app/command.h"
#include "routing/methods.h"
#include "schedule/registry.h"
#include "system/machine/model_files.h"
#include "system/program/large_program.h"
#include "system/traffic/patterns.h"
#include "topology/networks/kinds.h"
#include "workload/large_model.h"

namespace coppice::app {
namespace {

std::string item(const std::string& name, const std::string& summary) {
  return fmt::format("  {:<16} {}\n", name, summary);
}

std::string catalogue() {
  std::string text = "topologies (system.topology.kind):\n";
  for (const topology::KindInfo& kind : topology::topology_kinds()) {
    text += item(std::string(kind.name),
                 fmt::format("{}{}{}", kind.summary, kind.dims.empty() ? "" : "; dims ", kind.dims));
  }
  text += "algorithms (collective.algorithm):\n";
  for (const auto& algorithm : schedule::algorithms()) text += item(algorithm.name, algorithm.summary);
  text += "patterns (coppice traffic --pattern):\n";
  for (const system::PatternInfo& pattern : system::traffic_patterns()) {
    text += item(pattern.name, pattern.summary);
  }
  text += "models (training.model, or the path of a layer table):\n";
  for (const std::string& model : system::known_models()) text += fmt::format("  {}\n", model);
  text += "transformers (training.model with training.parallel, or the path of a description):\n";
  for (const std::string& model : system::known_transformers()) text += fmt::format("  {}\n", model);
  text += "path assignment (routing.method):\n";
  for (const routing::MethodInfo& method : routing::methods()) text += item(method.name, method.summary);
  text += "large models (routing.jobs):\n";
  for (const workload::LargeModel& model : workload::large_models()) {
    text += item(model.name, fmt::format("{} billion parameters, tensor {} x pipeline {}",
                                         model.parameters / 1'000'000'000, model.tensor, model.pipeline));
  }
  return text;
}

}  // namespace

Command add_list(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("list", "list topologies, algorithms, traffic patterns and models");
  return {app, [] { print(catalogue()); }};
}

}  // namespace coppice::app
