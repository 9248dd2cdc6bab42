#pragma once

#include "base/units.h"

namespace coppice {

// The number of bytes of memory that this process may still use: the machine's memory or, if the process's
// limit (ulimit -v) is lower, what remains of this limit.
Bytes machine_memory();

}  // namespace coppice
