#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedule/compile/chunk_policy.h"
#include "schedule/compile/latency_model.h"
#include "schedule/tables/chunk_program.h"
#include "topology/networks/hierarchy.h"

namespace coppice::schedule {

using topology::DimensionOrder;

// A chunk's size, and the order in which it traverses the dimensions of a hierarchy.
struct ChunkPlan {
  Bytes bytes = 0;                // chunk size in every accelerator's buffer
  DimensionOrder reduce_scatter;  // dimensions in order; empty in an all-gather
  DimensionOrder all_gather;      // dimensions in order; empty in a reduce-scatter
  bool operator==(const ChunkPlan&) const = default;
};

// Whether the all-gather visits the dimensions in the reverse order of the reduce-scatter; true if there is
// only one phase.
bool goes_back(const ChunkPlan& plan);

// One stage of a chunk: a reduce-scatter or an all-gather in one dimension.
struct ChunkStage : ProgramStage {
  Bytes before = 0;           // bytes of the chunk that an accelerator holds at the start
  Femtoseconds transfer = 0;  // time for which the stage occupies the dimension
  Bytes sent = 0;             // per accelerator
};

// The stages of a chunk in order.
std::vector<ChunkStage> stages_of(const LatencyModel& model, const ChunkPlan& plan);

// The rank by which a dimension chooses among waiting operations (Themis, Sec. 4.3): the lowest rank begins
// first, then the operation that arrived first, then the lowest chunk. kFifo gives every operation the same
// rank. kSmallestChunkFirst ranks by the bytes that an accelerator holds before the operation; among equal
// chunks, a reduce-scatter begins before an all-gather, since its chunk has more stages ahead.
// kLeastToSendFirst ranks by the bytes that an accelerator sends in a dimension of `size` accelerators.
Bytes intra_dimension_rank(IntraDimension policy, Op op, Bytes before, int size);

// The granularity of ChunkSimulation. kOperations: an operation sends all its bytes in one message and
// completes after the fixed delay (Themis, Sec. 4.4). kSteps: an operation consists of the steps of its
// algorithm, as in tables: each step sends its message when the previous one has arrived, and other
// operations use the dimension in the meantime.
enum class Grain { kOperations, kSteps };

// A part of a stage that occupies a dimension or, with in-network reduction, one direction of it (up or
// down).
struct ChunkStep {
  std::int32_t dimension = 0;  // d, or LatencyModel::dimensions() + d for the downward direction
  std::int32_t stage = 0;
  bool begins_stage = true;
  bool ends_stage = true;
  Femtoseconds transfer = 0;
  Bytes rank = 0;
  std::int32_t messages = 1;  // per accelerator
};
using ChunkPath = std::vector<ChunkStep>;

ChunkPath chunk_path(const LatencyModel& model, const ChunkPlan& plan, IntraDimension policy, Grain grain);

// The numbers of shares that each accelerator sends to a reducing switch and receives from it.
struct OffloadedShares {
  Bytes up = 0;
  Bytes down = 0;
};
OffloadedShares offloaded_shares(const ProgramStage& stage, int size);

// A step's turn in a dimension.
struct ChunkTurn {
  std::int32_t chunk = 0;
  std::int32_t step = 0;
};

// One stage of a chunk in a dimension, with its times.
struct ChunkOperation {
  std::int32_t chunk = 0;
  std::int32_t stage = 0;     // index among the chunk's stages
  Femtoseconds came = 0;      // completion of the previous stage
  Femtoseconds began = 0;     // start of its first message
  Femtoseconds sent = 0;      // end of its last message
  Femtoseconds complete = 0;  // completion at all accelerators
};

// The deterministic simulation from which all accelerators derive the same order of operations in a dimension
// (Themis, Sec. 4.6.2); one accelerator represents all. A dimension sends one message at a time, but any
// number may be in flight (Sec. 4.3 and 4.4: several chunks run in parallel if one cannot saturate the
// bandwidth). The next step of an operation that has begun has priority over operations that have not. With
// Grain::kSteps, turns and times equal those of order_turns() for network interfaces with one port per link.
class ChunkSimulation {
 public:
  explicit ChunkSimulation(const LatencyModel& model, Grain grain = Grain::kSteps);

  static constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();

  // Returns the time at which the last chunk is complete. `ways` come from chunk_path() with the same grain.
  // Stops as soon as that time must exceed `give_up`, and then returns a lower bound on it that exceeds
  // `give_up`. Reuses its storage between calls.
  Femtoseconds run(std::span<const ChunkPath> ways, Femtoseconds give_up = kNever);
  Femtoseconds run(std::span<const ChunkPlan> chunks, IntraDimension policy);

  // Like run(), but every dimension executes its steps in the order of turns[dimension], waiting for each: it
  // models a machine that executes tables made by another simulation of the same chunks.
  Femtoseconds run_in_turns(std::span<const ChunkPath> ways, std::span<const std::vector<ChunkTurn>> turns);

  // The steps of the last run, in order, for every dimension and, if some switches reduce, then for every
  // dimension's downward direction.
  std::vector<std::vector<ChunkTurn>> turns() const;
  // The operations of the last run in a dimension, in the order in which they began.
  std::span<const ChunkOperation> operations(std::size_t dimension) const {
    return dimensions_[dimension].begun;
  }

 private:
  struct Waiting {
    std::size_t place = 0;  // index of the operation among those begun
    Bytes rank = 0;
    Femtoseconds came = 0;
    std::int32_t chunk = 0;
    std::int32_t step = 0;
  };
  struct InFlight {
    Femtoseconds arrives = 0;
    std::int32_t chunk = 0;
    std::int32_t step = 0;
  };
  struct Dimension {
    Femtoseconds latency = 0;
    std::vector<Waiting> waiting;     // a heap
    std::vector<InFlight> in_flight;  // in order of arrival, since all have the same latency
    std::size_t arrived = 0;          // number of messages in in_flight that have arrived
    Femtoseconds free_at = 0;
    Femtoseconds to_send = 0;  // total time of the steps not begun yet
    std::vector<ChunkTurn> taken;
    std::span<const ChunkTurn> order;  // the order given to run_in_turns()
    std::vector<ChunkOperation> begun;
  };
  struct Progress {
    Femtoseconds came = 0;      // when the current operation became ready
    std::size_t operation = 0;  // index among the dimension's operations
    std::int32_t ready = -1;    // the step that may begin; -1 while a step is in progress
  };

  Femtoseconds run_all(std::span<const ChunkPath> ways, Femtoseconds give_up);
  // Whether the dimension could begin a step if it were not busy.
  bool has_next(const Dimension& dimension) const;
  ChunkTurn dequeue_next(Dimension& dimension);
  void begin_step(std::int32_t chunk, std::int32_t step);
  void count_steps();
  void serve(Dimension& dimension);
  // Handles the arrivals at the current time.
  void receive(Dimension& dimension);
  // The time of the next event; kNever if there is none.
  Femtoseconds next_event() const;

  const LatencyModel* model_;
  Grain grain_;
  bool in_turns_ = false;
  std::span<const ChunkPath> ways_;
  Femtoseconds now_ = 0;
  Femtoseconds least_finish_ = 0;  // the earliest possible completion of the last chunk
  std::vector<Dimension> dimensions_;
  std::vector<Progress> progress_;  // [chunk]
};

}  // namespace coppice::schedule
