#pragma once

#include "config/document/document.h"

namespace coppice::config {

// Merges a configuration over the one that its key `base` names, which may have a base of its own: a file,
// with or without .yaml, beside the configuration, in the working directory, or among the installed ones
// (share/coppice beside the command, otherwise configs/ of the sources). Throws ConfigError at the key if
// there is no such file, or if bases form a cycle.
void expand_base(Node& root);

}  // namespace coppice::config
