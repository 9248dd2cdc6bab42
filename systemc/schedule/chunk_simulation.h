#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/chunk_policy.h"
#include "schedule/latency_model.h"

namespace coppice::schedule {

// The dimensions of a hierarchy in some order.
using DimensionOrder = std::vector<std::size_t>;

// The way of one chunk through the dimensions of a hierarchy.
struct ChunkPlan {
  Bytes bytes = 0;                // of the chunk, in every accelerator's buffer
  DimensionOrder reduce_scatter;  // in the order it goes; empty in an all-gather
  DimensionOrder all_gather;      // in the order it goes; empty in a reduce-scatter
  bool operator==(const ChunkPlan&) const = default;
};

// A stage of a chunk's way: a reduce-scatter or an all-gather in one dimension.
struct ChunkStage {
  std::size_t dimension = 0;
  Op op = Op::kReduce;
  Bytes before = 0;           // what an accelerator holds of the chunk when it begins
  Femtoseconds transfer = 0;  // for which it has the dimension to itself
};

// Which of the operations that wait for a dimension goes first (Themis, Sec. 4.3): that of the lowest rank,
// then the one that came first, then the one of the lowest chunk. First come, first served gives all the same
// rank. Smallest chunk first goes by what an accelerator holds before the operation, and of equal chunks
// takes the one to reduce-scatter first: it has more stages to go.
Bytes intra_dimension_rank(IntraDimension policy, Op op, Bytes before);

// The stages of a chunk, in the order it goes through them.
std::vector<ChunkStage> stages_of(const LatencyModel& model, const ChunkPlan& plan);

// A chunk's stay in one dimension.
struct ChunkOperation {
  std::int32_t chunk = 0;
  std::int32_t stage = 0;  // of the chunk's way, from 0
  Femtoseconds came = 0;   // when the stage before it was complete
  Femtoseconds began = 0;  // to send
  Femtoseconds sent = 0;   // the dimension is free for the next; complete the fixed delay after that
};

// The deterministic simulation by which all accelerators know the order of operations in a dimension (Themis,
// Sec. 4.6.2): one accelerator stands for all of them. A dimension sends one operation at a time and has any
// number in their fixed delay (Sec. 4.3 and 4.4: several chunks run in parallel where one cannot saturate the
// bandwidth).
class ChunkSimulation {
 public:
  explicit ChunkSimulation(const LatencyModel& model);

  // The time at which the last chunk is complete; chunks[c] are the stages of chunk c. Storage is kept from
  // call to call.
  Femtoseconds run(std::span<const std::vector<ChunkStage>> chunks, IntraDimension policy);
  Femtoseconds run(std::span<const ChunkPlan> chunks, IntraDimension policy);

  // The operations of the last run in a dimension, in the order it began them.
  std::span<const ChunkOperation> operations(std::size_t dimension) const {
    return dimensions_[dimension].begun;
  }

 private:
  struct Waiting {
    Bytes rank = 0;
    ChunkOperation operation;
  };
  struct Dimension {
    Femtoseconds fixed_delay = 0;
    std::vector<Waiting> waiting;       // a heap
    std::vector<ChunkOperation> begun;  // complete in this order: the fixed delay is the same for all
    std::size_t completed = 0;          // of those begun
    Femtoseconds free_at = 0;
  };

  void begin_stage(std::int32_t chunk, std::int32_t stage);
  void serve(Dimension& dimension);
  // When anything happens next; -1 if never.
  Femtoseconds next_event() const;

  const LatencyModel* model_;
  std::span<const std::vector<ChunkStage>> chunks_;
  IntraDimension policy_ = IntraDimension::kFifo;
  Femtoseconds now_ = 0;
  std::vector<Dimension> dimensions_;
};

}  // namespace coppice::schedule
