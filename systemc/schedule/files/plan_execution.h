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

// Scratch-buffer packets of the LL protocols, whose readers wait for the packets' flags.
inline constexpr char kPacketBuffer = 'p';

// Consecutive chunks of a buffer: i, o, s or kPacketBuffer.
struct PlanRange {
  NodeId gpu = 0;
  MscclCell first;
  int count = 1;
};

// Stores the sum of the sources in every target. A range on another GPU is read or written through the
// network.
struct PlanMove {
  std::vector<PlanRange> sources;
  std::vector<PlanRange> targets;
};

// One end of a channel: a GPU, and the channel's number there.
using PlanChannel = std::pair<NodeId, int>;

// An operation of a thread block: first it waits, then it moves data, then it signals.
struct PlanOp {
  std::vector<PlanChannel> waits;  // ends of this GPU
  std::vector<int> acquires;       // semaphores of this GPU
  int barrier = -1;                // a barrier that `barrier_blocks` blocks of this GPU must reach
  int barrier_blocks = 0;
  std::vector<PlanMove> moves;
  std::vector<PlanChannel> signals;  // ends at the peers
  std::vector<int> releases;
  std::string pointer;  // the location in the file (RFC 6901)
};

// An algorithm in the form of MSCCL++: thread blocks with one-sided operations, ordered by channels,
// semaphores, barriers and packets.
struct Plan {
  MscclBuffers buffers;
  std::vector<std::vector<std::vector<PlanOp>>> blocks;  // [gpu][block]
  std::vector<std::vector<int>> semaphores;              // [gpu]: initial values
};

// Executes a plan symbolically and proves the same properties as BlockExecution. A relaxed signal orders
// accesses like any other.
class PlanExecution {
 public:
  // `plan` must outlive this.
  explicit PlanExecution(const Plan& plan);

  // The messages, as BlockExecution::run() returns them. Throws BlockFault.
  const std::vector<BlockMessage>& run();

 private:
  // The progress of a block.
  struct Block {
    int next = 0;               // operation
    std::int32_t free_at = 1;   // the first round in which it can run
    std::int32_t arrived = -1;  // its step at the barrier that it waits for; -1: none
  };
  struct At {
    NodeId gpu;
    int block;
  };
  struct Barrier {
    std::vector<std::int32_t> arrived;  // steps
    std::vector<std::int32_t> open;     // steps of the blocks that have not left yet
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
  std::vector<std::int32_t> first_block_;   // [gpu]: number of its first block in the trace
  // The first round in which a value can be read, and the step that wrote it.
  std::map<std::pair<NodeId, MscclCell>, std::pair<std::int32_t, std::int32_t>> written_;
  std::map<PlanChannel, std::deque<std::int32_t>> signals_;  // steps that signalled
  std::map<std::pair<NodeId, int>, std::deque<std::int32_t>>
      semaphores_;  // steps that released the semaphore; -1: initial value
  std::map<std::pair<NodeId, int>, Barrier> barriers_;
  std::vector<std::pair<At, int>> trace_;  // [step]: the operation
  std::int32_t last_round_ = 1;            // the round from which everything can be read
  StepOrder order_;
  std::vector<BlockMessage> messages_;
};

}  // namespace coppice::schedule
