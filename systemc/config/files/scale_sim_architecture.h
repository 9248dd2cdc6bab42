#pragma once

#include <string>
#include <vector>

#include "config/document/document.h"

namespace coppice::config {

// An accelerator from a SCALE-Sim architecture file (*.cfg): a section with the keys of system.accelerator,
// which are located in the file, and the assumptions made.
struct ScaleSimArchitecture {
  Node accelerator;
  std::vector<std::string> assumptions;
};

// Reads an architecture file; `clock_hertz` converts words per cycle to a bandwidth. Throws ConfigError if
// the file is missing or unreadable, or contains an unknown key or an invalid value.
ScaleSimArchitecture read_scale_sim_architecture(const std::string& path, std::int64_t clock_hertz);

// Replaces `system.accelerator: NAME.cfg` by the contents of the file, or merges keys next to
// `system.accelerator.file: NAME.cfg` over these contents. Adds the file's assumptions to `assumptions`.
void expand_accelerator(Node& root, std::vector<std::string>& assumptions);

}  // namespace coppice::config
