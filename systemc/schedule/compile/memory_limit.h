#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace coppice::schedule {

// The memory that tables of so many entries of their own take while they are made and proven, at the least:
// every entry, the message that it was made from and the one that the proof follows.
Bytes memory_for(std::int64_t messages);

// Throws UnsupportedError with what it would take if that is more than `available` bytes; `what` is the
// algorithm. Better refused at once than killed after minutes.
void require_memory(const std::string& what, std::int64_t messages, Bytes available);

// The physical memory of this machine.
Bytes machine_memory();

}  // namespace coppice::schedule
