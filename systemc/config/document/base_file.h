#pragma once

#include "config/document/document.h"

namespace coppice::config {

// Merges a configuration over its base, if it has the key `base`. The base may itself have a base. The key
// contains the name of a file, with or without .yaml. The file is sought next to the configuration, in the
// working directory, and among the installed configurations (share/coppice next to the command, or configs/
// of the sources). Throws ConfigError at the key if there is no such file, or if bases form a cycle.
void expand_base(Node& root);

}  // namespace coppice::config
