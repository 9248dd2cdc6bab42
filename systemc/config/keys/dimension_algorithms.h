#pragma once

#include "config/keys/key.h"

namespace coppice::config {

// collective.dimension_algorithms: a list with the algorithm of every dimension of a hierarchy, or the name
// of a system file, relative to the working directory.
Key dimension_algorithms_key();

}  // namespace coppice::config
