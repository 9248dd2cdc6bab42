#pragma once

#include <cstdint>
#include <string>

#include "base/machine_memory.h"
#include "base/units.h"
#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// A lower bound on the memory needed to build and prove tables with `messages` separate entries: for each
// message, a table entry, the message from which it is made, and the message that the proof tracks.
Bytes memory_for(std::int64_t messages);

// Throws UnsupportedError, stating the memory needed, if this exceeds `available` bytes. `what` names the
// algorithm. Without this check, the system would kill the process after minutes.
void require_memory(const std::string& what, std::int64_t messages, Bytes available);

// require_memory() for an algorithm with a tree for every accelerator: every tree sends every piece of its
// chunk to all others, in every phase of the request's collective.
void require_memory_for_trees(const std::string& what, std::int64_t accelerators,
                              const CompileRequest& request);

}  // namespace coppice::schedule
