#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/compile/latency_model.h"
#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// The length of the search, and its random path: equal effort gives equal plans on every machine.
struct SearchEffort {
  std::uint64_t seed = 1;
  int searches = 4;        // each along its own path; only as many as needed to come close to the ideal
  int simulations = 1500;  // of the whole collective, in each
};

// The plans of all chunks, and the policy by which they were judged.
struct ChunkSchedule {
  std::vector<ChunkPlan> plans;
  IntraDimension intra_dimension = IntraDimension::kFifo;
};

// Better ways for the chunks of a collective: local search from Themis' (or the baseline's, if that is
// faster) with ChunkSimulation, step by step as the tables execute them, as its judge. It changes a chunk's
// order of dimensions, moves data from one chunk to another and lets chunks change places, and keeps what is
// not slower; it is never slower than where it started. Small chunks late in the collective fill the gaps at
// its end. Without a policy it takes least to send first, and is never slower than Themis with the smallest
// chunk first either.
//
// An all-gather goes back the way of the reduce-scatter, or, on two dimensions of at most 256 accelerators,
// in its own order: the pieces that an accelerator holds of the chunk are then scattered over the
// buffer and go in more messages, of which there are a tenth more at most. Tables can express that on any
// system (goes_back()).
//
// Chunks stay multiples of `quantum`, which the data's size need not be.
ChunkSchedule schedule_themis_plus(const LatencyModel& model, Collective collective,
                                   std::span<const Chunk> chunks, Bytes quantum,
                                   std::optional<IntraDimension> policy, const SearchEffort& effort);

}  // namespace coppice::schedule
