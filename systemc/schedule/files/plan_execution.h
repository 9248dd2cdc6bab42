#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "schedule/files/block_execution.h"
#include "schedule/files/cell_values.h"
#include "schedule/files/step_order.h"

namespace coppice::schedule {

// The name of a buffer for scratch data in packets of the LL protocols. Readers of this data wait for the
// flags of the packets.
inline constexpr char kPacketBuffer = 'p';

// Consecutive chunks of a buffer, which is i, o, s or kPacketBuffer.
struct PlanRange {
  NodeId gpu = 0;
  MscclCell first;
  int count = 1;
};

// Stores the sum of all sources in every target. If a range is on another GPU, it is read or written through
// the network.
struct PlanMove {
  std::vector<PlanRange> sources;
  std::vector<PlanRange> targets;
};

// One end of a channel: a GPU and the number of the channel at this GPU.
using PlanChannel = std::pair<NodeId, int>;

// An operation of a thread block. It waits first, then moves data, and finally signals.
struct PlanOp {
  std::vector<PlanChannel> waits;  // channel ends at this GPU
  std::vector<int> acquires;       // semaphores at this GPU
  int barrier = -1;                // barrier that `barrier_blocks` blocks of this GPU must reach
  int barrier_blocks = 0;
  std::vector<PlanMove> moves;
  std::vector<PlanChannel> signals;  // channel ends at the peers
  std::vector<int> releases;
  std::string pointer;  // location in the file (RFC 6901)
};

// An algorithm in the form of MSCCL++. Its thread blocks execute one-sided operations, which are ordered by
// channels, semaphores, barriers and packets.
struct Plan {
  MscclBuffers buffers;
  std::vector<std::vector<std::vector<PlanOp>>> blocks;  // [gpu][block]
  std::vector<std::vector<int>> semaphores;              // [gpu]: initial values of the semaphores
};

// Executes a plan symbolically and proves the same properties as BlockExecution. A relaxed signal orders
// accesses like any other signal.
class PlanExecution {
 public:
  // `plan` must outlive this object.
  explicit PlanExecution(const Plan& plan);

  // Executes the plan and returns its messages in the same form as BlockExecution::run(). Throws BlockFault
  // if the plan is faulty.
  const std::vector<BlockMessage>& run();

 private:
  // The progress of a thread block.
  struct Block {
    int next = 0;               // index of the next operation
    std::int32_t free_at = 1;   // first round in which the block can continue
    std::int32_t arrived = -1;  // its step at the barrier for which it waits; -1 if there is none
  };
  struct At {
    NodeId gpu;
    int block;
  };
  struct Barrier {
    std::vector<std::int32_t> arrived;  // steps of the blocks that have arrived
    std::vector<std::int32_t> open;     // steps of the blocks that have not left the barrier yet
    int left = 0;
  };

  bool advance(const At& at, std::int32_t round);
  bool may_run(const At& at, std::int32_t round) const;
  bool passes_barrier(const At& at, std::vector<std::int32_t>& after);
  bool readable(const At& at, const PlanRange& range, std::int32_t round) const;
  void run(const At& at, std::int32_t round);
  void take_tokens(const At& at, std::vector<std::int32_t>& after);
  std::vector<CellValue> sum(const At& at, const PlanMove& move, std::int32_t round, std::int32_t step);
  void store(const At& at, const PlanMove& move, const std::vector<CellValue>& values, std::int32_t round,
             std::int32_t step);
  void give_tokens(const At& at, std::int32_t step);
  MscclCell placed(const At& at, const PlanRange& range, int after) const;
  void require_end() const;
  void require_order() const;

  Block& state(const At& at);
  const Block& state(const At& at) const;
  const PlanOp* next_op(const At& at) const;
  [[noreturn]] void refuse(BlockFault::Kind kind, const At& at, int op, const std::string& what) const;

  const Plan& plan_;
  CellValues cells_;
  std::vector<std::vector<Block>> blocks_;  // [gpu][block]
  std::vector<std::int32_t> first_block_;   // [gpu]: number of the GPU's first block in the trace
  // The first round in which a value can be read, and the step that wrote the value.
  std::map<std::pair<NodeId, MscclCell>, std::pair<std::int32_t, std::int32_t>> written_;
  std::map<PlanChannel, std::deque<std::int32_t>> signals_;  // steps that have signalled
  // Steps that released the semaphore; -1: initial value.
  std::map<std::pair<NodeId, int>, std::deque<std::int32_t>> semaphores_;
  std::map<std::pair<NodeId, int>, Barrier> barriers_;
  std::vector<std::pair<At, int>> trace_;  // [step]: its operation
  std::int32_t last_round_ = 1;            // the round from which all data can be read
  StepOrder order_;
  std::vector<BlockMessage> messages_;
};

}  // namespace coppice::schedule
