#pragma once

#include <string>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// The schedule as an MSCCL algorithm, which runs on GPUs: a thread block per connection and direction, at
// most 256 steps each, then another channel; a chunk is the largest part that all messages are whole
// multiples of, and a step moves at most 72 of them; additions to one chunk of a GPU follow each other.
// Parallel links become channels.
//
// Throws UnsupportedError with what would help: switches that add, chunks too unequal, more than 32 channels.
std::string to_msccl(const topology::Topology& topology, const Schedule& schedule);
// The same of an all-to-all whose buffer has the blocks of all pairs, (i, j) at i n + j: out of place, what
// leads through a GPU in its scratch.
std::string all_to_all_to_msccl(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
