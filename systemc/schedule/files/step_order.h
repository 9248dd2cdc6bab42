#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "schedule/files/msccl_buffers.h"

namespace coppice::schedule {

// Two accesses in an undefined order to the same cell, at least one of which is a write.
struct UnorderedAccess {
  std::int32_t earlier = 0;  // numbers of steps in the trace
  std::int32_t later = 0;
  NodeId gpu = 0;
  MscclCell cell;
  bool earlier_writes = false;
  bool later_writes = false;
};

// The partial order of the steps of thread blocks (Lamport 1978): the steps of a block follow each other, a
// step follows the steps for which it waits, and a receive follows its send. Given a trace of one execution,
// this class finds the accesses to the same data that could happen in a different order in another execution.
// Each access is compared with the last write before it, and a write also with all reads since that write. If
// there is a race, at least one race is found, because an access that is ordered after these accesses is
// ordered after all earlier accesses. A program without races computes the same result in every execution.
class StepOrder {
 public:
  // Appends the next step to the trace. It belongs to block `block`, whose number must be small, and follows
  // the steps `after`. Returns its number.
  std::int32_t add(std::int32_t block, std::span<const std::int32_t> after);
  // Record that `step`, which must be the last step added, reads or writes a cell of a GPU.
  void read(std::int32_t step, NodeId gpu, MscclCell cell);
  void write(std::int32_t step, NodeId gpu, MscclCell cell);

  // Returns all unordered pairs of accesses, sorted by the later step.
  std::vector<UnorderedAccess> unordered() const;

 private:
  struct Step {
    std::int32_t block = 0;
    std::int32_t previous = -1;    // previous step of the same block
    std::int32_t first_after = 0;  // index into after_
    std::int32_t end_after = 0;
  };
  struct Cell {
    std::int32_t last_write = -1;
    std::vector<std::int32_t> reads;  // steps that have read the cell since the last write
  };

  void compare(std::int32_t earlier, std::int32_t later, NodeId gpu, MscclCell cell, bool earlier_writes,
               bool later_writes);
  bool plainly_before(std::int32_t earlier, std::int32_t later) const;

  std::vector<Step> steps_;
  std::vector<std::int32_t> after_;
  std::vector<std::int32_t> last_of_block_;  // [block]
  std::map<std::pair<NodeId, MscclCell>, Cell> cells_;
  std::vector<UnorderedAccess> in_question_;
};

}  // namespace coppice::schedule
