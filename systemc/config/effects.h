#pragma once

#include <string>
#include <vector>

#include "config/settings/loaded.h"

namespace coppice::config {

// Warnings of keys that were set but change nothing in this kind of run: "file:line:col: warning: ...", one
// per file and reason, naming all its keys and placed at the first of them. `records_waves`: whether the run
// writes a value change dump.
std::vector<std::string> ineffective_keys(const Loaded& loaded, Purpose purpose, bool records_waves = true);

}  // namespace coppice::config
