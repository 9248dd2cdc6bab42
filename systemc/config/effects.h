#pragma once

#include <string>
#include <vector>

#include "config/settings/loaded.h"

namespace coppice::config {

// Warnings about keys that are set but have no effect in this kind of run: "file:line:col: warning: ...", one
// per file and reason, which lists all such keys and is located at the first of them. Considers only keys in
// the configuration itself and on the command line, not those of its base. `records_waves`: whether the run
// writes waveforms.
std::vector<std::string> ineffective_keys(const Loaded& loaded, Purpose purpose, bool records_waves = true);

}  // namespace coppice::config
