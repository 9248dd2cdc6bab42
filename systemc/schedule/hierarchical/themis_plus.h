#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/compile/latency_model.h"
#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// The effort and the seed of the search: equal effort gives equal plans on every machine.
struct SearchEffort {
  std::uint64_t seed = 1;
  int searches = 4;        // independent searches; it stops early when it is close to the ideal
  int simulations = 1500;  // simulations of the whole collective per search
};

// The plans of all chunks, and the policy with which they were evaluated.
struct ChunkSchedule {
  std::vector<ChunkPlan> plans;
  IntraDimension intra_dimension = IntraDimension::kFifo;
};

// Finds better plans for the chunks of a collective by local search. It starts from Themis (or the baseline,
// if that is faster) and evaluates plans with ChunkSimulation, step by step as the tables execute them. A
// move changes a chunk's order of dimensions, moves data from one chunk to another, or swaps two chunks;
// moves that make the collective slower are rejected, so the result is never slower than the start. Small
// chunks late in the collective fill the gaps at its end. Without a policy it uses least to send first, and
// is never slower than Themis with smallest chunk first either.
//
// An all-gather visits the dimensions in the reverse order of the reduce-scatter or, on two dimensions of at
// most 256 accelerators, in an order of its own: the pieces that an accelerator holds are then scattered over
// the buffer and travel in more messages, at most a tenth more in total. Tables of any system can express
// plans that go back (goes_back()).
//
// Chunks stay multiples of `quantum`; the data's size need not be one.
ChunkSchedule schedule_themis_plus(const LatencyModel& model, Collective collective,
                                   std::span<const Chunk> chunks, Bytes quantum,
                                   std::optional<IntraDimension> policy, const SearchEffort& effort);

}  // namespace coppice::schedule
