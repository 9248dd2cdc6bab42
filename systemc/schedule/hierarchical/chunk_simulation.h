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

// The way of one chunk through the dimensions of a hierarchy.
struct ChunkPlan {
  Bytes bytes = 0;                // of the chunk, in every accelerator's buffer
  DimensionOrder reduce_scatter;  // in the order it goes; empty in an all-gather
  DimensionOrder all_gather;      // in the order it goes; empty in a reduce-scatter
  bool operator==(const ChunkPlan&) const = default;
};

// Whether a chunk is all-gathered in the reverse order of its reduce-scatter, if it has both.
bool goes_back(const ChunkPlan& plan);

// A stage of a chunk's way: a reduce-scatter or an all-gather in one dimension.
struct ChunkStage : ProgramStage {
  Bytes before = 0;           // what an accelerator holds of the chunk when it begins
  Femtoseconds transfer = 0;  // for which it has the dimension to itself
  Bytes sent = 0;             // by an accelerator
};

// The stages of a chunk, in the order it goes through them.
std::vector<ChunkStage> stages_of(const LatencyModel& model, const ChunkPlan& plan);

// Which of the operations that wait for a dimension begins first (Themis, Sec. 4.3): that of the lowest rank,
// then the one that came first, then the one of the lowest chunk. First come, first served gives all the same
// rank. Smallest chunk first goes by what an accelerator holds before the operation, and of equal chunks
// takes the one to reduce-scatter first: it has more stages to go. Least to send first goes by what an
// accelerator sends in a dimension of `size` accelerators.
Bytes intra_dimension_rank(IntraDimension policy, Op op, Bytes before, int size);

// How finely ChunkSimulation looks at an operation: as a whole, which sends all its bytes at once and is
// complete the fixed delay later (Themis, Sec. 4.4), or as the steps of its algorithm, as tables execute it:
// each sends its message when the one before has come, and others have the dimension meanwhile.
enum class Grain { kOperations, kSteps };

// A part of a stage that occupies a dimension, or, with in-network reduction, its way up or down.
struct ChunkStep {
  std::int32_t dimension = 0;  // the way down of d counts as dimension d + LatencyModel::dimensions()
  std::int32_t stage = 0;
  bool begins_stage = true;
  bool ends_stage = true;
  Femtoseconds transfer = 0;
  Bytes rank = 0;
  std::int32_t messages = 1;  // of an accelerator
};
using ChunkWay = std::vector<ChunkStep>;

ChunkWay way_of(const LatencyModel& model, const ChunkPlan& plan, IntraDimension policy, Grain grain);

// The shares that each accelerator sends up to a reducing switch, and the shares that each receives from it.
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
  std::int32_t stage = 0;     // of the chunk's way, from 0
  Femtoseconds came = 0;      // when the stage before it was complete
  Femtoseconds began = 0;     // to send
  Femtoseconds sent = 0;      // has sent all
  Femtoseconds complete = 0;  // everywhere
};

// The deterministic simulation by which all accelerators know the order of operations in a dimension (Themis,
// Sec. 4.6.2): one accelerator stands for all of them. A dimension sends one message at a time, and any
// number are on their way (Sec. 4.3 and 4.4: several chunks run in parallel where one cannot saturate the
// bandwidth). The next step of an operation that has begun goes before operations that have not. By steps it
// takes the turns of order_turns(), and the time, at network interfaces with a port for every link.
class ChunkSimulation {
 public:
  explicit ChunkSimulation(const LatencyModel& model, Grain grain = Grain::kSteps);

  static constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();

  // The time at which the last chunk is complete, for ways from way_of() with the same grain. Stops once it
  // cannot be complete by `give_up`, and then returns a lower bound beyond it. Storage is kept between calls.
  Femtoseconds run(std::span<const ChunkWay> ways, Femtoseconds give_up = kNever);
  Femtoseconds run(std::span<const ChunkPlan> chunks, IntraDimension policy);

  // As run(), but every dimension takes its steps in the order of turns[dimension] and waits for each: the
  // tables of another simulation of the same chunks, as a machine of this model executes them.
  Femtoseconds run_in_turns(std::span<const ChunkWay> ways, std::span<const std::vector<ChunkTurn>> turns);

  // The steps of the last run in every dimension, in order; then those on the way down of every dimension, if
  // switches reduce somewhere.
  std::vector<std::vector<ChunkTurn>> turns() const;
  // The operations of the last run in a dimension, in the order it began them.
  std::span<const ChunkOperation> operations(std::size_t dimension) const {
    return dimensions_[dimension].begun;
  }

 private:
  struct Waiting {
    std::size_t place = 0;  // of its operation among those begun
    Bytes rank = 0;
    Femtoseconds came = 0;
    std::int32_t chunk = 0;
    std::int32_t step = 0;
  };
  struct OnItsWay {
    Femtoseconds arrives = 0;
    std::int32_t chunk = 0;
    std::int32_t step = 0;
  };
  struct Dimension {
    Femtoseconds latency = 0;
    std::vector<Waiting> waiting;      // a heap
    std::vector<OnItsWay> on_its_way;  // arrives in this order: the latency is the same for all
    std::size_t arrived = 0;           // of those
    Femtoseconds free_at = 0;
    Femtoseconds to_send = 0;  // in steps that it has not taken yet
    std::vector<ChunkTurn> taken;
    std::span<const ChunkTurn> order;  // of run_in_turns()
    std::vector<ChunkOperation> begun;
  };
  struct Progress {
    Femtoseconds came = 0;      // when its current operation was ready
    std::size_t operation = 0;  // of its dimension's
    std::int32_t ready = -1;    // the step that may be taken; -1: one is under way
  };

  Femtoseconds run_all(std::span<const ChunkWay> ways, Femtoseconds give_up);
  // Whether the dimension could take a step if it were not busy.
  bool has_next(const Dimension& dimension) const;
  ChunkTurn take_next(Dimension& dimension);
  void begin_step(std::int32_t chunk, std::int32_t step);
  void count_steps();
  void serve(Dimension& dimension);
  // Handles the arrivals at the current time.
  void receive(Dimension& dimension);
  // When anything happens next; kNever if nothing does.
  Femtoseconds next_event() const;

  const LatencyModel* model_;
  Grain grain_;
  bool in_turns_ = false;
  std::span<const ChunkWay> ways_;
  Femtoseconds now_ = 0;
  Femtoseconds least_finish_ = 0;  // when the last chunk is complete at the earliest
  std::vector<Dimension> dimensions_;
  std::vector<Progress> progress_;  // of chunks
};

}  // namespace coppice::schedule
