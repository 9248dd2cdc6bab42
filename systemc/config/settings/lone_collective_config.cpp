#include "config/settings/lone_collective_config.h"

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/all_to_all/all_to_all.h"
#include "schedule/registry.h"

namespace coppice::config {

bool runs_lone_collective(const Config& config) {
  return (!config.collective.group.empty() || config.collective.op == "all_to_all") &&
         config.program.file.empty() && config.program.trace.empty() && config.program.jobs.empty() &&
         config.training.model.empty() && config.inference.model.empty();
}

std::vector<std::string> all_to_all_algorithms() {
  std::vector<std::string> names =
      schedule::algorithms_that([](const auto& info) { return info.chooses_algorithm; });
  for (const auto& algorithm : schedule::all_to_all_algorithms()) names.push_back(algorithm.name);
  return names;
}

void require_whole_collective(const Loaded& loaded) {
  if (!runs_lone_collective(loaded.config)) return;
  const char* const key = loaded.config.collective.group.empty() ? "collective.op" : "collective.group";
  throw ConfigError(
      loaded.place(key),
      fmt::format("{}: only coppice run, compare, bound and schedule support groups and all-to-alls: {}", key,
                  "leave out collective.group, and write another collective.op"));
}

}  // namespace coppice::config
