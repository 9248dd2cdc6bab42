#pragma once

#include "base/units.h"

namespace coppice {

// The number of bytes of memory that this process may still use: the machine's memory, or what remains of the
// process's limit (ulimit -v).
Bytes machine_memory();

}  // namespace coppice
