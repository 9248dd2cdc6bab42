#pragma once

#include <string>
#include <vector>

#include "config/document/document.h"

namespace coppice::config {

// An accelerator described by a SCALE-Sim architecture file (*.cfg): a section with keys of
// system.accelerator, whose locations are in that file, and the assumptions that were made.
struct ScaleSimArchitecture {
  Node accelerator;
  std::vector<std::string> assumptions;
};

// Reads an architecture file. `clock_hertz` is used to convert words per cycle to a bandwidth. Throws
// ConfigError if the file is missing or unreadable, or contains an unknown key or an invalid value.
ScaleSimArchitecture read_scale_sim_architecture(const std::string& path, std::int64_t clock_hertz);

// If `system.accelerator` or `system.accelerator.file` names an architecture file (*.cfg), reads it and
// merges the other keys of the section over its contents. Adds the assumptions to `assumptions`.
void expand_accelerator(Node& root, std::vector<std::string>& assumptions);

}  // namespace coppice::config
