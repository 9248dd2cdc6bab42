#pragma once

#include "base/units.h"

namespace coppice {

// The memory that this process may still take: all that the machine has, or what is left of its limit (ulimit
// -v).
Bytes machine_memory();

}  // namespace coppice
