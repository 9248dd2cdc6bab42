#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/loader.h"
#include "config/schema.h"

namespace coppice::config {
namespace {

// What the purpose is, as the subject of a reason.
const char* subject(Purpose purpose) {
  switch (purpose) {
    case Purpose::kRun:
      return "a run";
    case Purpose::kTraffic:
      return "synthetic traffic";
    case Purpose::kSchedule:
      return "a schedule";
    case Purpose::kBound:
      return "the bound";
  }
  return "?";
}

std::string warning(const SourceLocation& place, const std::string& key, const std::string& reason) {
  return fmt::format("{}:{}:{}: warning: {} has no effect: {}", place.file, place.line, place.column, key,
                     reason);
}

// The entries of a list over the dimensions that belong to dimensions without links.
void warn_of_unused_dimensions(const Loaded& loaded, const std::string& key,
                               std::vector<std::string>& warnings) {
  const auto& dims = loaded.config.system.topology.dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::string entry = fmt::format("{}[{}]", key, d);
    if (dims[d] == 1 && loaded.places.contains(entry)) {
      warnings.push_back(warning(loaded.place(entry), entry, "a dimension of width 1 has no links"));
    }
  }
}

}  // namespace

std::vector<std::string> ineffective_keys(const Loaded& loaded, Purpose purpose, bool records_waves) {
  const Use use{purpose, records_waves};
  std::vector<std::string> warnings;
  for (const Key& key : keys()) {
    if (!loaded.places.contains(key.path)) continue;
    std::string reason = key.idle ? key.idle(loaded.config, use) : std::string();
    if (!key.used.has(purpose)) reason = fmt::format("{} does not depend on it", subject(purpose));
    if (!reason.empty()) {
      warnings.push_back(warning(loaded.place(key.path), key.path, reason));
    } else if (key.path.starts_with("system.link.")) {
      warn_of_unused_dimensions(loaded, key.path, warnings);
    }
  }
  return warnings;
}

}  // namespace coppice::config
