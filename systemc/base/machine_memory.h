#pragma once

#include "base/units.h"

namespace coppice {

// The amount of memory that this process may still use: the machine's memory, or the rest of the process's
// limit (ulimit -v).
Bytes machine_memory();

}  // namespace coppice
