#include "config/effects.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/schema.h"
#include "config/settings/shape.h"

namespace coppice::config {
namespace {

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
    case Purpose::kRoute:
      return "a routing study";
    case Purpose::kTextRun:
      return "the prediction of a text workload: its chunks move without flits or values";
    case Purpose::kLayers:
      return "the cost of layers";
  }
  return "?";
}

// Keys in the same file that have no effect for the same reason. They share a warning.
struct Idle {
  SourceLocation place;  // where the first of the keys is set
  std::string reason;    // the rest of the warning after "no effect"
  std::vector<std::string> keys;
};

class IdleKeys {
 public:
  void add(const SourceLocation& place, const std::string& key, const std::string& reason) {
    const auto same = std::find_if(groups_.begin(), groups_.end(), [&](const Idle& group) {
      return group.place.file == place.file && group.reason == reason;
    });
    if (same == groups_.end()) {
      groups_.push_back({place, reason, {key}});
    } else {
      same->keys.push_back(key);
    }
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> lines;
    for (const Idle& group : groups_) {
      lines.push_back(fmt::format("{}:{}:{}: warning: {} {} no effect{}", group.place.file, group.place.line,
                                  group.place.column, fmt::join(group.keys, ", "),
                                  group.keys.size() == 1 ? "has" : "have", group.reason));
    }
    return lines;
  }

 private:
  std::vector<Idle> groups_;
};

// From a list with one value per dimension, adds the entries that belong to dimensions without links.
void add_unused_dimensions(const Loaded& loaded, const std::string& key, IdleKeys& idle) {
  const auto& dims = loaded.config.system.topology.dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::string entry = fmt::format("{}[{}]", key, d);
    if (dims[d] == 1 && loaded.places.contains(entry)) {
      idle.add(loaded.place(entry), entry, ": a dimension of width 1 has no links");
    }
  }
}

// Whether the key has no effect because a text workload specifies the times of its layers.
bool timed_by_workload(const Config& config, const Key& key, Purpose purpose) {
  // These keys also describe the memory that the network interface uses, so they have an effect.
  const bool shared = key.path == "system.accelerator.memory_bandwidth" ||
                      (key.path == "system.accelerator.clock" && config.system.accelerator.memory_bandwidth);
  return purpose == Purpose::kRun && trains_text_workload(config) && !key.used.has(Purpose::kTextRun) &&
         !shared && (key.path.starts_with("training.") || key.path.starts_with("system.accelerator."));
}

// Whether a key was set in another file, such as a base or an accelerator file. That file may also be used
// for runs in which the key has an effect.
bool inherited(const Loaded& loaded, const SourceLocation& place) {
  return place.file != loaded.top.file && !place.file.starts_with("--set ");
}

}  // namespace

std::vector<std::string> ineffective_keys(const Loaded& loaded, Purpose purpose, bool records_waves) {
  const Use use{purpose, records_waves};
  IdleKeys idle;
  for (const Key& key : keys()) {
    if (!loaded.was_set(key.path) || inherited(loaded, loaded.place(key.path))) continue;
    const std::string reason = key.idle ? key.idle(loaded.config, use) : std::string();
    if (!key.used.has(purpose)) {
      idle.add(loaded.place(key.path), key.path, fmt::format(" on {}", subject(purpose)));
    } else if (timed_by_workload(loaded.config, key, purpose)) {
      idle.add(loaded.place(key.path), key.path, ": a text workload specifies the times of its layers");
    } else if (!reason.empty()) {
      idle.add(loaded.place(key.path), key.path, ": " + reason);
    } else if (key.path.starts_with("system.link.") && is_grid(loaded.config)) {
      add_unused_dimensions(loaded, key.path, idle);
    }
  }
  return idle.warnings();
}

}  // namespace coppice::config
