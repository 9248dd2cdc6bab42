#pragma once

#include <cstdint>
#include <string>

#include "base/machine_memory.h"
#include "base/units.h"
#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// A lower bound on the bytes of memory needed to build and prove tables with `messages` separate entries.
// Each message needs a table entry, the Send from which the entry is made, and the Message that the proof
// tracks.
Bytes memory_for(std::int64_t messages);

// Throws UnsupportedError if memory_for(messages) exceeds `available` bytes. `what` names the algorithm in
// the error. Without this check, the operating system would kill the process after minutes.
void require_memory(const std::string& what, std::int64_t messages, Bytes available);

// Calls require_memory() for an algorithm with one tree per accelerator. Every tree sends every piece of its
// chunk to all other accelerators, in every phase of the request's collective.
void require_memory_for_trees(const std::string& what, std::int64_t accelerators,
                              const CompileRequest& request);

}  // namespace coppice::schedule
