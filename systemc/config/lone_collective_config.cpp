#include "config/lone_collective_config.h"

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::config {

bool runs_lone_collective(const Config& config) {
  return (!config.collective.group.empty() || config.collective.op == "all_to_all") &&
         config.program.file.empty() && config.program.trace.empty() && config.program.jobs.empty() &&
         config.training.model.empty();
}

std::vector<std::string> all_to_all_algorithms() {
  return {"direct", "pairwise", "ring", "hierarchical", "balanced"};
}

void require_whole_collective(const Loaded& loaded) {
  if (!runs_lone_collective(loaded.config)) return;
  const char* const key = loaded.config.collective.group.empty() ? "collective.op" : "collective.group";
  throw ConfigError(
      loaded.place(key),
      fmt::format("{}: groups and all-to-alls are for coppice run, compare, bound and schedule: {}", key,
                  "leave collective.group out and write another collective.op"));
}

}  // namespace coppice::config
