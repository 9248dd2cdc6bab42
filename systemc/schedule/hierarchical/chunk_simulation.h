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

// The order in which one chunk goes through the dimensions of a hierarchy.
struct ChunkPlan {
  Bytes bytes = 0;                // of the chunk, in every accelerator's buffer
  DimensionOrder reduce_scatter;  // dimensions in order; empty in an all-gather
  DimensionOrder all_gather;      // dimensions in order; empty in a reduce-scatter
  bool operator==(const ChunkPlan&) const = default;
};

// Whether the chunk's all-gather visits the dimensions in the reverse order of its reduce-scatter, if it has
// both.
bool goes_back(const ChunkPlan& plan);

// One stage of a chunk: a reduce-scatter or an all-gather in one dimension.
struct ChunkStage : ProgramStage {
  Bytes before = 0;           // bytes of the chunk that an accelerator holds at the start
  Femtoseconds transfer = 0;  // time for which it occupies the dimension
  Bytes sent = 0;             // per accelerator
};

// The stages of a chunk, in the order it goes through them.
std::vector<ChunkStage> stages_of(const LatencyModel& model, const ChunkPlan& plan);

// The rank by which a dimension chooses among waiting operations (Themis, Sec. 4.3): the lowest rank begins
// first, then the operation that arrived first, then the lowest chunk. First come, first served gives every
// operation the same rank. Smallest chunk first ranks by the bytes that an accelerator holds before the
// operation; of equal chunks, the one to reduce-scatter goes first, since it has more stages ahead. Least to
// send first ranks by the bytes that an accelerator sends in a dimension of `size` accelerators.
Bytes intra_dimension_rank(IntraDimension policy, Op op, Bytes before, int size);

// The granularity of ChunkSimulation. kOperations: an operation sends all its bytes at once and completes
// after the fixed delay (Themis, Sec. 4.4). kSteps: the steps of its algorithm, as tables execute them; each
// step sends its message when the previous one has arrived, and other operations use the dimension in the
// meantime.
enum class Grain { kOperations, kSteps };

// A part of a stage that occupies a dimension or, with in-network reduction, one direction of it (up or
// down).
struct ChunkStep {
  std::int32_t dimension = 0;  // direction down of dimension d is number d + LatencyModel::dimensions()
  std::int32_t stage = 0;
  bool begins_stage = true;
  bool ends_stage = true;
  Femtoseconds transfer = 0;
  Bytes rank = 0;
  std::int32_t messages = 1;  // per accelerator
};
using ChunkPath = std::vector<ChunkStep>;

ChunkPath chunk_path(const LatencyModel& model, const ChunkPlan& plan, IntraDimension policy, Grain grain);

// Shares that each accelerator sends up to a reducing switch, and shares that each receives from it.
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

// A chunk's stay in one dimension.
struct ChunkOperation {
  std::int32_t chunk = 0;
  std::int32_t stage = 0;     // index among the chunk's stages
  Femtoseconds came = 0;      // when the previous stage was complete
  Femtoseconds began = 0;     // when it began to send
  Femtoseconds sent = 0;      // when it had sent everything
  Femtoseconds complete = 0;  // when it was complete at all accelerators
};

// The deterministic simulation from which all accelerators derive the same order of operations in a dimension
// (Themis, Sec. 4.6.2); one accelerator stands for all. A dimension sends one message at a time, and any
// number may be in flight (Sec. 4.3 and 4.4: several chunks run in parallel if one cannot saturate the
// bandwidth). The next step of an operation that has begun goes before operations that have not. With
// Grain::kSteps it takes the turns of order_turns(), with their times, for network interfaces with one port
// per link.
class ChunkSimulation {
 public:
  explicit ChunkSimulation(const LatencyModel& model, Grain grain = Grain::kSteps);

  static constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();

  // Returns the time at which the last chunk is complete, for ways from chunk_path() with the same grain.
  // Stops once that must exceed `give_up`, and then returns a lower bound beyond it. Reuses its storage
  // between calls.
  Femtoseconds run(std::span<const ChunkPath> ways, Femtoseconds give_up = kNever);
  Femtoseconds run(std::span<const ChunkPlan> chunks, IntraDimension policy);

  // Like run(), but every dimension takes its steps in the order of turns[dimension] and waits for each of
  // them: the tables of another simulation of the same chunks, executed by a machine of this model.
  Femtoseconds run_in_turns(std::span<const ChunkPath> ways, std::span<const std::vector<ChunkTurn>> turns);

  // The steps of the last run in every dimension, in order; then those in the direction down of every
  // dimension, if switches reduce somewhere.
  std::vector<std::vector<ChunkTurn>> turns() const;
  // The operations of the last run in a dimension, in the order in which they began.
  std::span<const ChunkOperation> operations(std::size_t dimension) const {
    return dimensions_[dimension].begun;
  }

 private:
  struct Waiting {
    std::size_t place = 0;  // index of its operation among those begun
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
    std::size_t arrived = 0;          // how many of in_flight have arrived
    Femtoseconds free_at = 0;
    Femtoseconds to_send = 0;  // total time of the steps it has not taken yet
    std::vector<ChunkTurn> taken;
    std::span<const ChunkTurn> order;  // the order given to run_in_turns()
    std::vector<ChunkOperation> begun;
  };
  struct Progress {
    Femtoseconds came = 0;      // when its current operation became ready
    std::size_t operation = 0;  // index among its dimension's operations
    std::int32_t ready = -1;    // the step that may be taken; -1: one is in progress
  };

  Femtoseconds run_all(std::span<const ChunkPath> ways, Femtoseconds give_up);
  // Whether the dimension could take a step if it were not busy.
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
