#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/compile/latency_model.h"
#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// The effort and the seed of the search. With the same effort and seed, every machine finds the same plans.
struct SearchEffort {
  std::uint64_t seed = 1;
  // The number of independent searches. No more searches are started when a result is close to the ideal.
  int searches = 4;
  int simulations = 1500;  // number of simulations of the whole collective per search
};

// The plans of all chunks, and the intra-dimension policy with which they were evaluated.
struct ChunkSchedule {
  std::vector<ChunkPlan> plans;
  IntraDimension intra_dimension = IntraDimension::kFifo;
};

// Finds better plans for the chunks of a collective by local search. The search starts from Themis, or from
// the baseline if that is faster. It evaluates plans with ChunkSimulation, step by step as in the tables. A
// move changes a chunk's order of dimensions, moves data from one chunk to another, or swaps two chunks.
// Moves that make the collective slower are rejected, so the result is never slower than the start. Small
// chunks late in the collective fill the gaps at its end. If `policy` is nullopt, the search uses
// kLeastToSendFirst, and the result is also never slower than Themis with kSmallestChunkFirst.
//
// An all-gather visits the dimensions in the reverse order of the reduce-scatter. On hierarchies with two
// dimensions and at most 256 accelerators, it may also use another order: the pieces that an accelerator
// holds are then scattered over the buffer and need more messages, at most a tenth more in total. Only plans
// for which goes_back() is true can be compiled for every system.
//
// The search moves data in multiples of `quantum`.
ChunkSchedule schedule_themis_plus(const LatencyModel& model, Collective collective,
                                   std::span<const Chunk> chunks, Bytes quantum,
                                   std::optional<IntraDimension> policy, const SearchEffort& effort);

}  // namespace coppice::schedule
