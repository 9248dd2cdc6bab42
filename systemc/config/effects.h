#pragma once

#include <string>
#include <vector>

#include "config/settings/loaded.h"

namespace coppice::config {

// Warnings about keys that are set but have no effect in this kind of run. There is one warning,
// "file:line:col: warning: ...", for each file and reason; it lists all such keys and is located at the first
// of them. Only keys that are set in the configuration itself or on the command line are considered, not keys
// from other files, such as a base. `records_waves`: whether the run writes waveforms.
std::vector<std::string> ineffective_keys(const Loaded& loaded, Purpose purpose, bool records_waves = true);

}  // namespace coppice::config
