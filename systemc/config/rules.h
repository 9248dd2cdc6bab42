#pragma once

#include "config/settings/loaded.h"

namespace coppice::config {

// Checks the rules that relate several keys. Throws ConfigError at the key that must be changed.
void check_rules(const Loaded& loaded);

}  // namespace coppice::config
