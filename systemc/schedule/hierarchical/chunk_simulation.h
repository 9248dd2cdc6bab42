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

// The size of a chunk and the order in which it traverses the dimensions of a hierarchy.
struct ChunkPlan {
  Bytes bytes = 0;                // size of the chunk in every accelerator's buffer
  DimensionOrder reduce_scatter;  // order of dimensions; empty in an all-gather
  DimensionOrder all_gather;      // order of dimensions; empty in a reduce-scatter
  bool operator==(const ChunkPlan&) const = default;
};

// Whether the all-gather visits the dimensions in the reverse order of the reduce-scatter. True if there is
// only one of these phases.
bool goes_back(const ChunkPlan& plan);

// A stage of a chunk, which is a reduce-scatter or an all-gather in one dimension.
struct ChunkStage : ProgramStage {
  Bytes before = 0;           // bytes of the chunk that an accelerator holds when the stage starts
  Femtoseconds transfer = 0;  // time for which the stage occupies its dimension
  Bytes sent = 0;             // bytes sent per accelerator
};

// Returns the stages of a chunk in order.
std::vector<ChunkStage> stages_of(const LatencyModel& model, const ChunkPlan& plan);

// Returns the rank of an operation among those waiting for a dimension (Themis, Sec. 4.3). The operation with
// the lowest rank begins first. Ties are broken by order of arrival, then by chunk number. kFifo gives every
// operation the same rank. kSmallestChunkFirst uses the number of bytes that an accelerator holds before the
// operation; among equal chunks, a reduce-scatter begins before an all-gather, because its chunk has more
// stages ahead. kLeastToSendFirst uses the number of bytes that an accelerator sends in a dimension of `size`
// accelerators.
Bytes intra_dimension_rank(IntraDimension policy, Op op, Bytes before, int size);

// The granularity of ChunkSimulation. With kOperations, an operation sends all its bytes in one message and
// completes after the fixed delay (Themis, Sec. 4.4). With kSteps, an operation consists of the steps of its
// algorithm, as in tables: each step sends its message when the previous message has arrived, and other
// operations use the dimension in the meantime.
enum class Grain { kOperations, kSteps };

// A part of a stage that occupies a dimension. With in-network reduction, it occupies only one direction of
// the dimension (up or down).
struct ChunkStep {
  // d, or LatencyModel::dimensions() + d for the downward direction of dimension d.
  std::int32_t dimension = 0;
  std::int32_t stage = 0;
  bool begins_stage = true;
  bool ends_stage = true;
  Femtoseconds transfer = 0;
  Bytes rank = 0;
  std::int32_t messages = 1;  // number of messages per accelerator
};
using ChunkPath = std::vector<ChunkStep>;

ChunkPath chunk_path(const LatencyModel& model, const ChunkPlan& plan, IntraDimension policy, Grain grain);

// The numbers of shares that each accelerator sends to a reducing switch and receives from the switch.
struct OffloadedShares {
  Bytes up = 0;
  Bytes down = 0;
};
OffloadedShares offloaded_shares(const ProgramStage& stage, int size);

// An element of the order in which a dimension executes steps.
struct ChunkTurn {
  std::int32_t chunk = 0;
  std::int32_t step = 0;
};

// A stage of a chunk in a dimension, with its times.
struct ChunkOperation {
  std::int32_t chunk = 0;
  std::int32_t stage = 0;     // index among the stages of the chunk
  Femtoseconds came = 0;      // when the previous stage was complete
  Femtoseconds began = 0;     // start of the first message
  Femtoseconds sent = 0;      // end of the last message
  Femtoseconds complete = 0;  // when the stage was complete at all accelerators
};

// A deterministic simulation from which all accelerators derive the same order of operations in a dimension
// (Themis, Sec. 4.6.2). One accelerator represents all of them. A dimension sends one message at a time, but
// any number of messages may be in flight (Sec. 4.3 and 4.4: several chunks run in parallel if one chunk
// cannot saturate the bandwidth). The next step of an operation that has begun has priority over operations
// that have not begun. With Grain::kSteps, turns and times equal those of order_turns() for network
// interfaces with one port per link.
class ChunkSimulation {
 public:
  explicit ChunkSimulation(const LatencyModel& model, Grain grain = Grain::kSteps);

  static constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();

  // Simulates a collective and returns the time at which the last chunk is complete. `ways` must come from
  // chunk_path() with the same grain. If that time exceeds `give_up`, the simulation stops as soon as this is
  // certain, and returns a lower bound that also exceeds `give_up`. Storage is reused between calls.
  Femtoseconds run(std::span<const ChunkPath> ways, Femtoseconds give_up = kNever);
  Femtoseconds run(std::span<const ChunkPlan> chunks, IntraDimension policy);

  // Like run(), but every dimension executes its steps in the order of turns[dimension] and waits for each of
  // them. This models a machine that executes tables made by another simulation of the same chunks.
  Femtoseconds run_in_turns(std::span<const ChunkPath> ways, std::span<const std::vector<ChunkTurn>> turns);

  // Returns the steps of the last run, in order, for every dimension. If some switches reduce, the steps in
  // the downward direction of every dimension follow.
  std::vector<std::vector<ChunkTurn>> turns() const;
  // Returns the operations of the last run in a dimension, in the order of their start.
  std::span<const ChunkOperation> operations(std::size_t dimension) const {
    return dimensions_[dimension].begun;
  }

 private:
  struct Waiting {
    std::size_t place = 0;  // index of the operation among those that have begun
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
    std::vector<InFlight> in_flight;  // in order of arrival, because all have the same latency
    std::size_t arrived = 0;          // number of messages in in_flight that have arrived
    Femtoseconds free_at = 0;
    Femtoseconds to_send = 0;  // total time of the steps that have not begun yet
    std::vector<ChunkTurn> taken;
    std::span<const ChunkTurn> order;  // the order passed to run_in_turns()
    std::vector<ChunkOperation> begun;
  };
  struct Progress {
    Femtoseconds came = 0;      // when the current operation became ready
    std::size_t operation = 0;  // index of the operation in its dimension
    std::int32_t ready = -1;    // step that may begin; -1 while a step is in progress
  };

  Femtoseconds run_all(std::span<const ChunkPath> ways, Femtoseconds give_up);
  // Whether the dimension could begin a step if it were not busy.
  bool has_next(const Dimension& dimension) const;
  ChunkTurn dequeue_next(Dimension& dimension);
  void begin_step(std::int32_t chunk, std::int32_t step);
  void count_steps();
  void serve(Dimension& dimension);
  // Handles the messages that arrive at the current time.
  void receive(Dimension& dimension);
  // Returns the time of the next event; kNever if there is none.
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
