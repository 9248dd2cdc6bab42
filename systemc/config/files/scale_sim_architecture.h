#pragma once

#include <string>
#include <vector>

#include "config/document/document.h"

namespace coppice::config {

// An accelerator as an architecture file of SCALE-Sim (*.cfg) describes it: a section of the keys of
// system.accelerator, each at its place in the file, and what the file leaves open or says that has no
// meaning here.
struct ScaleSimArchitecture {
  Node accelerator;
  std::vector<std::string> assumptions;
};

// `clock_hertz` turns words a cycle into a bandwidth. Throws ConfigError: unreadable, no such file, an
// unknown key, a value that cannot be.
ScaleSimArchitecture read_scale_sim_architecture(const std::string& path, std::int64_t clock_hertz);

// Puts such a file in the place of `system.accelerator: NAME.cfg`, or under the keys that stand beside
// `system.accelerator.file: NAME.cfg`, and adds what it assumes to `assumptions`.
void expand_accelerator(Node& root, std::vector<std::string>& assumptions);

}  // namespace coppice::config
