#pragma once

#include <cstdint>
#include <string>

#include "base/machine_memory.h"
#include "base/units.h"
#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// A lower bound on the memory for tables with this many separate entries while they are made and proven:
// every entry, the message it is made from and the one that the proof follows.
Bytes memory_for(std::int64_t messages);

// Throws UnsupportedError with the memory needed if that is more than `available` bytes; `what` is the
// algorithm. It is better to refuse at once than to be killed after minutes.
void require_memory(const std::string& what, std::int64_t messages, Bytes available);

// The same for an algorithm with a tree for every accelerator: every tree sends every piece of its chunk to
// all others, in every phase of the request's collective.
void require_memory_for_trees(const std::string& what, std::int64_t accelerators,
                              const CompileRequest& request);

}  // namespace coppice::schedule
