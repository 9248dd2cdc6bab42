#pragma once

#include "config/settings/loaded.h"

namespace coppice::config {

// Checks the rules between several keys. Throws ConfigError at the key to change.
void check_rules(const Loaded& loaded);

}  // namespace coppice::config
