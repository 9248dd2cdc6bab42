#pragma once

#include "config/settings/loaded.h"

namespace coppice::config {

// Checks what must hold between the values of several keys. Throws ConfigError at the key to change.
void check_rules(const Loaded& loaded);

}  // namespace coppice::config
