#pragma once

#include "config/document/document.h"

namespace coppice::config {

// Merges a configuration over the one named by its key `base`, which may itself have a base. `base` names a
// file, with or without .yaml, next to the configuration, in the working directory, or among the installed
// configurations (share/coppice next to the command, otherwise configs/ of the sources). Throws ConfigError
// at the key if there is no such file, or if bases form a cycle.
void expand_base(Node& root);

}  // namespace coppice::config
