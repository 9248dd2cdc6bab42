#pragma once

#include <string>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Converts the schedule to an MSCCL algorithm, which runs on GPUs. Each connection has one thread block per
// direction with at most 256 steps; connections that need more steps continue on another channel. The size of
// a chunk is the largest size of which all messages are multiples, and a step moves at most 72 chunks.
// Additions to the same chunk of a GPU are serialised. Parallel links become channels.
//
// Throws UnsupportedError, with a remedy, if the schedule uses reducing switches, has chunks of unsuitable
// lengths, or needs more than 32 channels.
std::string to_msccl(const topology::Topology& topology, const Schedule& schedule);
// Like to_msccl(), for an all-to-all whose buffer contains the blocks of all pairs, block (i, j) at i n + j.
// The algorithm works out of place; blocks that a GPU forwards are in its scratch buffer.
std::string all_to_all_to_msccl(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
