#pragma once

#include <string>
#include <vector>

#include "config/document/document.h"

namespace coppice::config {

// An accelerator from a SCALE-Sim architecture file (*.cfg): a section of the keys of system.accelerator,
// each with its location in the file, and the assumptions made.
struct ScaleSimArchitecture {
  Node accelerator;
  std::vector<std::string> assumptions;
};

// `clock_hertz` turns words a cycle into a bandwidth. Throws ConfigError: unreadable, no such file, an
// unknown key, a value that cannot be.
ScaleSimArchitecture read_scale_sim_architecture(const std::string& path, std::int64_t clock_hertz);

// Replaces `system.accelerator: NAME.cfg` by the contents of the file, or adds them under the keys beside
// `system.accelerator.file: NAME.cfg`, and adds its assumptions to `assumptions`.
void expand_accelerator(Node& root, std::vector<std::string>& assumptions);

}  // namespace coppice::config
