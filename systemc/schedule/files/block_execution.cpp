#include "schedule/files/block_execution.h"
#include "base/index.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace coppice::schedule {
namespace {

using Kind = BlockFault::Kind;

// Returns the step that releases the steps that wait for step `at`: the first signalling step from `at` on.
// Returns -1 if there is none.
int signalling_step(const ThreadBlock& block, int at) {
  for (std::size_t s = index(at); s < block.steps.size(); ++s) {
    if (block.steps[s].signals) return static_cast<int>(s);
  }
  return -1;
}

}  // namespace

BlockExecution::BlockExecution(const BlockProgram& program) : program_(program), cells_(program.buffers) {
  std::int32_t blocks = 0;
  for (const auto& gpu : program.blocks) {
    done_.emplace_back(gpu.size(), 0);
    first_block_.push_back(blocks);
    blocks += static_cast<std::int32_t>(gpu.size());
    auto& trace = trace_of_.emplace_back();
    for (const ThreadBlock& block : gpu) trace.emplace_back(block.steps.size(), -1);
  }
}

const std::vector<BlockMessage>& BlockExecution::run() {
  require_connections();
  require_dependencies();
  execute();
  require_end();
  require_received();
  require_order();
  cells_.require_outputs(program_.places);
  return messages_;
}

void BlockExecution::refuse(BlockFault::Kind kind, const At& at, const std::string& what) const {
  throw BlockFault(kind, at.gpu, at.block, at.step, step(at).place,
                   fmt::format("GPU {}, thread block {}, step {}: {}", at.gpu, at.block, at.step, what));
}

// Throws if two blocks share one end of a connection, because their messages could reach each other's
// receivers.
void BlockExecution::require_connections() const {
  std::map<Connection, int> senders;
  std::map<Connection, int> receivers;
  for (std::size_t gpu = 0; gpu < program_.blocks.size(); ++gpu) {
    for (std::size_t b = 0; b < program_.blocks[gpu].size(); ++b) {
      const ThreadBlock& block = program_.blocks[gpu][b];
      const auto node = static_cast<NodeId>(gpu);
      const auto require_alone = [&](std::map<Connection, int>& known, const Connection& connection,
                                     const char* what) {
        const auto [other, alone] = known.emplace(connection, static_cast<int>(b));
        if (alone) return;
        const auto& [src, dst, channel] = connection;
        throw BlockFault(
            Kind::kConnection, node, static_cast<int>(b), 0, block.place,
            fmt::format("GPU {}, thread block {}: thread block {} also {} messages from GPU {} to GPU {} on "
                        "channel {}, so the order of messages is undefined: give one of them another chan",
                        gpu, b, other->second, what, src, dst, channel));
      };
      const auto any = [&](bool StepKind::*does) {
        return std::ranges::any_of(block.steps, [&](const BlockStep& step) { return step.kind->*does; });
      };
      if (any(&StepKind::sends)) require_alone(senders, {node, block.send_to, block.channel}, "sends");
      if (any(&StepKind::receives))
        require_alone(receivers, {block.receive_from, node, block.channel}, "receives");
    }
  }
}

void BlockExecution::require_dependencies() const {
  for (std::size_t gpu = 0; gpu < program_.blocks.size(); ++gpu) {
    const auto& blocks = program_.blocks[gpu];
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (std::size_t s = 0; s < blocks[b].steps.size(); ++s) {
        const BlockStep& waiting = blocks[b].steps[s];
        if (waiting.block_before < 0) continue;
        const At at{static_cast<NodeId>(gpu), static_cast<int>(b), static_cast<int>(s)};
        if (waiting.block_before >= static_cast<int>(blocks.size()) ||
            waiting.step_before >= static_cast<int>(blocks[index(waiting.block_before)].steps.size())) {
          refuse(Kind::kDeadlock, at,
                 fmt::format("depends on step {} of thread block {}, which does not exist",
                             waiting.step_before, waiting.block_before));
        }
        if (signalling_step(blocks[index(waiting.block_before)], waiting.step_before) < 0) {
          refuse(Kind::kDeadlock, at,
                 fmt::format(
                     "depends on step {} of thread block {}, which never signals: write hasdep=\"1\" there",
                     waiting.step_before, waiting.block_before));
        }
      }
    }
  }
}

// Executes the blocks in rounds. In a round, a block continues until it has sent a message or must wait for a
// message that is sent in the same round.
void BlockExecution::execute() {
  bool moved = true;
  for (std::int32_t round = 1; moved; ++round) {
    moved = false;
    for (std::size_t gpu = 0; gpu < program_.blocks.size(); ++gpu) {
      for (std::size_t b = 0; b < program_.blocks[gpu].size(); ++b) {
        std::int32_t& done = done_[gpu][b];
        At at{static_cast<NodeId>(gpu), static_cast<int>(b), done};
        for (bool sent = false; !sent && index(at.step) < block(at).steps.size() && may_run(at, round);) {
          run(at, round);
          sent = step(at).kind->sends;
          moved = true;
          at.step = ++done;
        }
      }
    }
  }
}

bool BlockExecution::may_run(const At& at, std::int32_t round) const {
  const BlockStep& next = step(at);
  if (next.block_before >= 0) {
    const auto& blocks = program_.blocks[index(at.gpu)];
    const int signalling = signalling_step(blocks[index(next.block_before)], next.step_before);
    if (done_[index(at.gpu)][index(next.block_before)] <= signalling) return false;
  }
  if (!next.kind->receives) return true;
  const auto queue = in_flight_.find({block(at).receive_from, at.gpu, block(at).channel});
  return queue != in_flight_.end() && !queue->second.empty() && queue->second.front().round < round;
}

void BlockExecution::run(const At& at, std::int32_t round) {
  const BlockStep& now = step(at);
  std::vector<std::int32_t> after;
  if (now.block_before >= 0) {
    after.push_back(trace_of_[index(at.gpu)][index(now.block_before)][index(now.step_before)]);
  }
  std::vector<CellValue> values;
  if (now.kind->receives) values = receive_message(at, after);
  const std::int32_t traced = order_.add(first_block_[index(at.gpu)] + at.block, after);
  trace_of_[index(at.gpu)][index(at.block)][index(at.step)] = traced;
  trace_.push_back(at);
  if (!now.kind->moves()) return;
  if (!now.kind->receives) values = read(at, now.source, traced);
  if (now.kind->adds) add(values, read(at, now.kind->receives ? now.source : now.destination, traced), at);
  if (now.kind->keeps) keep(at, values, traced);
  if (now.kind->sends) send(at, std::move(values), round, traced);
}

std::vector<CellValue> BlockExecution::receive_message(const At& at, std::vector<std::int32_t>& after) {
  auto& queue = in_flight_[{block(at).receive_from, at.gpu, block(at).channel}];
  Delivery message = std::move(queue.front());
  queue.pop_front();
  if (message.values.size() != index(step(at).count)) {
    refuse(Kind::kConnection, at,
           fmt::format(
               "receives {} chunks, but the message has {}; step {} of GPU {}'s thread block {} sends it",
               step(at).count, message.values.size(), message.index, block(at).receive_from, message.block));
  }
  after.push_back(message.step);
  return std::move(message.values);
}

// Returns the cell that is `after` chunks after `cell`. Throws BlockFault if it is outside the buffer.
MscclCell BlockExecution::placed(const At& at, const MscclCell& cell, int after) const {
  const int size = program_.buffers.size(at.gpu, cell.buffer);
  const MscclCell named{cell.buffer, cell.offset + after};
  if (named.offset >= size) {
    refuse(Kind::kBuffer, at,
           fmt::format("accesses {}, but this buffer has {} chunks at GPU {}", name_of(named), size, at.gpu));
  }
  return program_.buffers.placed(at.gpu, named);
}

std::vector<CellValue> BlockExecution::read(const At& at, const MscclCell& from, std::int32_t trace_step) {
  std::vector<CellValue> values;
  for (int i = 0; i < step(at).count; ++i) {
    const MscclCell cell = placed(at, from, i);
    const CellValue* value = cells_.find(at.gpu, cell);
    if (value == nullptr) {
      refuse(Kind::kBuffer, at,
             fmt::format("reads {} before anything is written to it: let it wait for the step that writes "
                         "it, or read another chunk",
                         name_of({from.buffer, from.offset + i})));
    }
    order_.read(trace_step, at.gpu, cell);
    values.push_back(*value);
  }
  return values;
}

void BlockExecution::add(std::vector<CellValue>& sums, const std::vector<CellValue>& others,
                         const At& at) const {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::string wrong = cells_.add(sums[i], others[i]);
    if (!wrong.empty()) refuse(Kind::kSum, at, wrong);
  }
}

void BlockExecution::keep(const At& at, const std::vector<CellValue>& values, std::int32_t trace_step) {
  for (int i = 0; i < step(at).count; ++i) {
    const MscclCell cell = placed(at, step(at).destination, i);
    order_.write(trace_step, at.gpu, cell);
    cells_.set(at.gpu, cell, values[index(i)]);
  }
}

void BlockExecution::send(const At& at, std::vector<CellValue> values, std::int32_t round,
                          std::int32_t trace_step) {
  const ThreadBlock& from = block(at);
  for (const CellValue& value : values) {
    messages_.push_back(
        {at.gpu, from.send_to, at.block, from.channel, value.chunk, cells_.complete(value), round});
  }
  in_flight_[{at.gpu, from.send_to, from.channel}].push_back(
      {std::move(values), round, trace_step, at.block, at.step});
}

// Throws if some steps cannot be executed. Among these, a receive whose message is never sent is reported
// first, because it is the likeliest cause.
void BlockExecution::require_end() const {
  std::optional<At> stuck;
  for (std::size_t gpu = 0; gpu < program_.blocks.size(); ++gpu) {
    for (std::size_t b = 0; b < program_.blocks[gpu].size(); ++b) {
      const At at{static_cast<NodeId>(gpu), static_cast<int>(b), done_[gpu][b]};
      if (index(at.step) == block(at).steps.size()) continue;
      const BlockStep& waits = step(at);
      const bool for_block =
          waits.block_before >= 0 && done_[gpu][index(waits.block_before)] <= waits.step_before;
      if (!stuck || (!for_block && step(*stuck).block_before >= 0)) stuck = at;
    }
  }
  if (!stuck) return;
  const At at = *stuck;
  const BlockStep& waits = step(at);
  const bool for_block =
      waits.block_before >= 0 && done_[index(at.gpu)][index(waits.block_before)] <= waits.step_before;
  refuse(
      Kind::kDeadlock, at,
      for_block
          ? fmt::format(
                "waits here forever: step {} of thread block {}, on which it depends, never completes",
                waits.step_before, waits.block_before)
          : fmt::format("waits here forever: message {} of GPU {} on channel {} is never sent",
                        std::ranges::count_if(block(at).steps.begin(), block(at).steps.begin() + at.step,
                                              [](const BlockStep& before) { return before.kind->receives; }),
                        block(at).receive_from, block(at).channel));
}

void BlockExecution::require_received() const {
  for (const auto& [connection, queue] : in_flight_) {
    if (queue.empty()) continue;
    const auto& [src, dst, channel] = connection;
    refuse(Kind::kConnection, {src, queue.front().block, queue.front().index},
           fmt::format("sends a message that is never received: GPU {} needs {} more steps that receive from "
                       "GPU {} on channel {}",
                       dst, queue.size(), src, channel));
  }
}

void BlockExecution::require_order() const {
  const std::vector<UnorderedAccess> races = order_.unordered();
  if (races.empty()) return;
  const UnorderedAccess& race = races.front();
  const At& earlier = trace_[index(race.earlier)];
  const At& later = trace_[index(race.later)];
  refuse(
      Kind::kRace, later,
      fmt::format("{} {}, and step {} of thread block {} {} it, in an undefined order: let one wait for the "
                  "other, for example with depid=\"{}\" deps=\"{}\"",
                  race.later_writes ? "writes" : "reads", name_of(race.cell), earlier.step, earlier.block,
                  race.earlier_writes ? "writes" : "reads", earlier.block, earlier.step));
}

}  // namespace coppice::schedule
