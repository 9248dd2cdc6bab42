#pragma once

#include "config/document/document.h"

namespace coppice::config {

// Lays a configuration over the one that its key `base` names, which may itself have a base: a file, with
// or without .yaml, beside the configuration, in the working directory, or among those that are shipped
// (share/coppice beside the command, else configs/ of the sources). Throws ConfigError at the key where there
// is none, or where bases go around.
void expand_base(Node& root);

}  // namespace coppice::config
