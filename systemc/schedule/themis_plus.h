#pragma once

#include <cstdint>
#include <vector>

#include "schedule/chunk_simulation.h"
#include "schedule/latency_model.h"

namespace coppice::schedule {

// How long to search, and along which path: the same plans come of the same effort, everywhere.
struct SearchEffort {
  std::uint64_t seed = 1;
  int simulations = 20'000;  // of the whole collective
};

// Better ways for the chunks of a collective: local search from Themis' (or the baseline's, if that is
// faster) with ChunkSimulation, smallest chunk first, as its judge. It changes a chunk's order of dimensions,
// moves data from one chunk to another and lets chunks change places, and keeps what is not slower; it is
// never slower than where it started. Small chunks late in the collective fill the gaps at its end.
//
// All-gathers go back the way of the reduce-scatters. Other orders leave an accelerator's pieces of a chunk
// scattered over the buffer, and reach no higher utilization once chunks may differ in size.
//
// Chunks stay multiples of `quantum`, which the data's size need not be.
std::vector<ChunkPlan> schedule_themis_plus(const LatencyModel& model, Collective collective,
                                            std::span<const Chunk> chunks, Bytes quantum,
                                            const SearchEffort& effort);

}  // namespace coppice::schedule
