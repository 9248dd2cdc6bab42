#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "schedule/files/cell_values.h"
#include "schedule/files/step_order.h"
#include "schedule/files/thread_blocks.h"

namespace coppice::schedule {

// A message with one chunk, sent by a thread block.
struct BlockMessage {
  NodeId src = 0;
  NodeId dst = 0;
  int block = 0;  // thread block of `src`
  int channel = 0;
  int chunk = 0;
  // Whether the message's value is final: in a reduction, the sum of all GPUs' data.
  bool complete = false;
  std::int32_t round = 0;
};

// Executes thread blocks symbolically. The execution proves that the outcome does not depend on the order of
// blocks and messages (StepOrder). It also proves the following properties of every execution: no access is
// outside a buffer or reads unwritten data, every message is received, nothing waits forever, no data is
// added twice, and every final value is where the collective requires it.
class BlockExecution {
 public:
  // `program` must outlive this object.
  explicit BlockExecution(const BlockProgram& program);

  // Executes the program and returns all messages in one possible order of sending. The messages of round r
  // depend only on messages of earlier rounds. A block sends at most one message per round. Throws BlockFault
  // if the program is faulty.
  const std::vector<BlockMessage>& run();

 private:
  struct Delivery {
    std::vector<CellValue> values;
    std::int32_t round = 0;
    std::int32_t step = 0;  // number, in the trace, of the step that sent the message
    int block = 0;          // thread block of the sender, and the step in this block
    int index = 0;
  };
  using Connection = std::tuple<NodeId, NodeId, int>;  // (source, destination, channel)
  // A step that is about to be executed.
  struct At {
    NodeId gpu;
    int block;
    int step;
  };

  void require_connections() const;
  void require_dependencies() const;
  void execute();
  bool may_run(const At& at, std::int32_t round) const;
  void run(const At& at, std::int32_t round);
  std::vector<CellValue> receive_message(const At& at, std::vector<std::int32_t>& after);
  std::vector<CellValue> read(const At& at, const MscclCell& from, std::int32_t trace_step);
  void add(std::vector<CellValue>& sums, const std::vector<CellValue>& others, const At& at) const;
  void keep(const At& at, const std::vector<CellValue>& values, std::int32_t trace_step);
  void send(const At& at, std::vector<CellValue> values, std::int32_t round, std::int32_t trace_step);
  void require_end() const;
  void require_received() const;
  void require_order() const;
  MscclCell placed(const At& at, const MscclCell& cell, int index) const;

  const ThreadBlock& block(const At& at) const {
    return program_.blocks[static_cast<std::size_t>(at.gpu)][static_cast<std::size_t>(at.block)];
  }
  const BlockStep& step(const At& at) const { return block(at).steps[static_cast<std::size_t>(at.step)]; }
  [[noreturn]] void refuse(BlockFault::Kind kind, const At& at, const std::string& what) const;

  const BlockProgram& program_;
  CellValues cells_;
  std::vector<std::vector<std::int32_t>> done_;  // [gpu][block]: number of steps that have been executed
  std::vector<std::int32_t> first_block_;        // [gpu]: number of the GPU's first block in the trace
  // [gpu][block][step]: the number of the step in the trace.
  std::vector<std::vector<std::vector<std::int32_t>>> trace_of_;
  std::vector<At> trace_;
  StepOrder order_;
  std::map<Connection, std::deque<Delivery>> in_flight_;
  std::vector<BlockMessage> messages_;
};

}  // namespace coppice::schedule
