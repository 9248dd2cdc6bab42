#pragma once

#include <cstdint>
#include <string>

#include "base/machine_memory.h"
#include "base/units.h"
#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The memory that tables of so many entries of their own take while they are made and proven, at the least:
// every entry, the message that it was made from and the one that the proof follows.
Bytes memory_for(std::int64_t messages);

// Throws UnsupportedError with what it would take if that is more than `available` bytes; `what` is the
// algorithm. Better refused at once than killed after minutes.
void require_memory(const std::string& what, std::int64_t messages, Bytes available);

// The same for an algorithm with a tree of every accelerator: every tree sends to all others, in every phase
// of the request's collective, every piece of its chunk.
void require_memory_for_trees(const std::string& what, std::int64_t accelerators,
                              const CompileRequest& request);

}  // namespace coppice::schedule
