#include "schedule/files/plan_execution.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/index.h"

namespace coppice::schedule {

PlanExecution::PlanExecution(const Plan& plan) : plan_(plan), cells_(plan.buffers) {
  std::int32_t blocks = 0;
  for (NodeId gpu = 0; gpu < plan.buffers.gpus(); ++gpu) {
    blocks_.emplace_back(plan.blocks[index(gpu)].size());
    first_block_.push_back(blocks);
    blocks += static_cast<std::int32_t>(plan.blocks[index(gpu)].size());
    const std::vector<int>& semaphores = plan.semaphores[index(gpu)];
    for (std::size_t i = 0; i < semaphores.size(); ++i) {
      semaphores_[{gpu, static_cast<int>(i)}].assign(index(semaphores[i]), -1);
    }
  }
}

const std::vector<BlockMessage>& PlanExecution::run() {
  for (std::int32_t round = 1; round <= last_round_; ++round) {
    for (bool moved = true; moved;) {
      moved = false;
      for (NodeId gpu = 0; gpu < plan_.buffers.gpus(); ++gpu) {
        for (std::size_t b = 0; b < plan_.blocks[index(gpu)].size(); ++b) {
          while (advance({gpu, static_cast<int>(b)}, round)) moved = true;
        }
      }
    }
  }
  require_end();
  require_order();
  cells_.require_outputs(std::vector<std::ptrdiff_t>(index(plan_.buffers.gpus()), 0));
  return messages_;
}

PlanExecution::Block& PlanExecution::state(const At& at) {
  return blocks_[index(at.gpu)][index(at.block)];
}
const PlanExecution::Block& PlanExecution::state(const At& at) const {
  return blocks_[index(at.gpu)][index(at.block)];
}

const PlanOp* PlanExecution::next_op(const At& at) const {
  const auto& ops = plan_.blocks[index(at.gpu)][index(at.block)];
  const int next = state(at).next;
  return index(next) < ops.size() ? &ops[index(next)] : nullptr;
}

void PlanExecution::refuse(BlockFault::Kind kind, const At& at, int op, const std::string& what) const {
  throw BlockFault(kind, at.gpu, at.block, op, 0, what);
}

// Executes the next operation of a block, or moves the block to its barrier, if this is possible. Returns
// whether the block made progress.
bool PlanExecution::advance(const At& at, std::int32_t round) {
  const PlanOp* op = next_op(at);
  if (op == nullptr || state(at).free_at > round) return false;
  if (op->barrier >= 0) {
    std::vector<std::int32_t> after;
    const bool waited = state(at).arrived >= 0;
    if (!passes_barrier(at, after)) return !waited;
    order_.add(first_block_[index(at.gpu)] + at.block, after);
    trace_.emplace_back(at, state(at).next);
    ++state(at).next;
    return true;
  }
  if (!may_run(at, round)) return false;
  run(at, round);
  return true;
}

// A barrier opens when all of its blocks have arrived. It can be used again when all of them have left.
bool PlanExecution::passes_barrier(const At& at, std::vector<std::int32_t>& after) {
  const PlanOp& op = *next_op(at);
  Barrier& barrier = barriers_[{at.gpu, op.barrier}];
  Block& block = state(at);
  if (block.arrived < 0) {
    if (barrier.left > 0) return false;
    block.arrived = order_.add(first_block_[index(at.gpu)] + at.block, {});
    trace_.emplace_back(at, block.next);
    barrier.arrived.push_back(block.arrived);
    if (static_cast<int>(barrier.arrived.size()) == op.barrier_blocks) {
      barrier.open = std::move(barrier.arrived);
      barrier.arrived.clear();
      barrier.left = op.barrier_blocks;
    }
  }
  if (barrier.left == 0 || std::ranges::find(barrier.open, block.arrived) == barrier.open.end()) return false;
  after = barrier.open;
  --barrier.left;
  block.arrived = -1;
  return true;
}

bool PlanExecution::may_run(const At& at, std::int32_t round) const {
  const PlanOp& op = *next_op(at);
  for (const PlanChannel& channel : op.waits) {
    const auto found = signals_.find(channel);
    if (found == signals_.end() || found->second.empty()) return false;
  }
  for (const int semaphore : op.acquires) {
    const auto found = semaphores_.find({at.gpu, semaphore});
    if (found == semaphores_.end() || found->second.empty()) return false;
  }
  return std::ranges::all_of(op.moves, [&](const PlanMove& move) {
    return std::ranges::all_of(move.sources,
                               [&](const PlanRange& range) { return readable(at, range, round); });
  });
}

// Whether a range can be read. A read waits for packets, but all other data must already have been written.
bool PlanExecution::readable(const At& at, const PlanRange& range, std::int32_t round) const {
  for (int i = 0; i < range.count; ++i) {
    const MscclCell cell = placed(at, range, i);
    const auto found = written_.find({range.gpu, cell});
    if (found != written_.end() ? found->second.first > round : range.first.buffer == kPacketBuffer) {
      return false;
    }
  }
  return true;
}

// Returns the cell that is `after` chunks after the first cell of the range. Throws BlockFault if it is
// outside the buffer.
MscclCell PlanExecution::placed(const At& at, const PlanRange& range, int after) const {
  const MscclCell named{range.first.buffer, range.first.offset + after};
  if (named.buffer == kPacketBuffer) return named;
  const int size = plan_.buffers.size(range.gpu, named.buffer);
  if (named.offset >= size) {
    refuse(
        BlockFault::Kind::kBuffer, at, state(at).next,
        fmt::format("accesses {}, but this buffer has {} chunks at GPU {}", name_of(named), size, range.gpu));
  }
  return plan_.buffers.placed(range.gpu, named);
}

void PlanExecution::run(const At& at, std::int32_t round) {
  const PlanOp& op = *next_op(at);
  std::vector<std::int32_t> after;
  take_tokens(at, after);
  for (const PlanMove& move : op.moves) {
    for (const PlanRange& range : move.sources) {
      if (range.first.buffer != kPacketBuffer) continue;
      for (int i = 0; i < range.count; ++i) {
        after.push_back(written_.at({range.gpu, placed(at, range, i)}).second);
      }
    }
  }
  const std::int32_t step = order_.add(first_block_[index(at.gpu)] + at.block, after);
  trace_.emplace_back(at, state(at).next);
  std::int32_t free_at = round;
  for (const PlanMove& move : op.moves) {
    const auto remote = [&](const PlanRange& range) { return range.gpu != at.gpu; };
    const bool fetches = std::ranges::any_of(move.sources, remote);
    const bool sends = std::ranges::any_of(move.targets, remote);
    store(at, move, sum(at, move, round, step), round + (fetches ? 1 : 0), step);
    free_at = std::max(free_at, round + (fetches ? 1 : 0) + (sends ? 1 : 0));
  }
  give_tokens(at, step);
  last_round_ = std::max(last_round_, free_at);
  state(at).free_at = free_at;
  ++state(at).next;
}

void PlanExecution::take_tokens(const At& at, std::vector<std::int32_t>& after) {
  const PlanOp& op = *next_op(at);
  const auto take = [&](std::deque<std::int32_t>& tokens) {
    if (tokens.front() >= 0) after.push_back(tokens.front());
    tokens.pop_front();
  };
  for (const PlanChannel& channel : op.waits) take(signals_.at(channel));
  for (const int semaphore : op.acquires) take(semaphores_.at({at.gpu, semaphore}));
}

void PlanExecution::give_tokens(const At& at, std::int32_t step) {
  const PlanOp& op = *next_op(at);
  for (const PlanChannel& channel : op.signals) signals_[channel].push_back(step);
  for (const int semaphore : op.releases) semaphores_[{at.gpu, semaphore}].push_back(step);
}

std::vector<CellValue> PlanExecution::sum(const At& at, const PlanMove& move, std::int32_t round,
                                          std::int32_t step) {
  std::vector<CellValue> sums;
  for (const PlanRange& range : move.sources) {
    for (int i = 0; i < range.count; ++i) {
      const MscclCell cell = placed(at, range, i);
      const CellValue* value = cells_.find(range.gpu, cell);
      if (value == nullptr) {
        refuse(BlockFault::Kind::kBuffer, at, state(at).next,
               fmt::format("reads {} of GPU {} before anything is written to it: wait for the operation that "
                           "writes it, or read another chunk",
                           name_of({range.first.buffer, range.first.offset + i}), range.gpu));
      }
      order_.read(step, range.gpu, cell);
      if (range.gpu != at.gpu) {
        messages_.push_back(
            {range.gpu, at.gpu, at.block, at.block, value->chunk, cells_.complete(*value), round});
      }
      if (&range == &move.sources.front()) {
        sums.push_back(*value);
        continue;
      }
      const std::string wrong = cells_.add(sums[index(i)], *value);
      if (!wrong.empty()) refuse(BlockFault::Kind::kSum, at, state(at).next, wrong);
    }
  }
  return sums;
}

void PlanExecution::store(const At& at, const PlanMove& move, const std::vector<CellValue>& values,
                          std::int32_t round, std::int32_t step) {
  for (const PlanRange& range : move.targets) {
    const bool sends = range.gpu != at.gpu;
    for (int i = 0; i < range.count; ++i) {
      const CellValue& value = values[index(i)];
      const MscclCell cell = placed(at, range, i);
      order_.write(step, range.gpu, cell);
      if (sends) {
        messages_.push_back(
            {at.gpu, range.gpu, at.block, at.block, value.chunk, cells_.complete(value), round});
      }
      cells_.set(range.gpu, cell, value);
      written_[{range.gpu, cell}] = {round + (sends ? 1 : 0), step};
    }
  }
}

void PlanExecution::require_end() const {
  for (NodeId gpu = 0; gpu < plan_.buffers.gpus(); ++gpu) {
    for (std::size_t b = 0; b < plan_.blocks[index(gpu)].size(); ++b) {
      const At at{gpu, static_cast<int>(b)};
      const PlanOp* op = next_op(at);
      if (op == nullptr) continue;
      refuse(BlockFault::Kind::kDeadlock, at, state(at).next,
             op->barrier >= 0        ? "waits forever for the other blocks of its barrier"
             : !op->waits.empty()    ? "waits forever for a signal from its peer"
             : !op->acquires.empty() ? "waits forever for a semaphore"
                                     : "waits forever for packets");
    }
  }
}

void PlanExecution::require_order() const {
  const std::vector<UnorderedAccess> races = order_.unordered();
  if (races.empty()) return;
  const UnorderedAccess& race = races.front();
  const auto& [earlier, earlier_op] = trace_[index(race.earlier)];
  const auto& [later, later_op] = trace_[index(race.later)];
  refuse(BlockFault::Kind::kRace, later, later_op,
         fmt::format("{} {} of GPU {}, and operation {} of thread block {} of GPU {} {} it, in an "
                     "undefined order: let one signal the other",
                     race.later_writes ? "writes" : "reads", name_of(race.cell), race.gpu, earlier_op,
                     earlier.block, earlier.gpu, race.earlier_writes ? "writes" : "reads"));
}

}  // namespace coppice::schedule
