#pragma once

#include "base/units.h"

namespace coppice {

// The memory that this process may still use: that of the machine, or what remains of its limit (ulimit -v).
Bytes machine_memory();

}  // namespace coppice
