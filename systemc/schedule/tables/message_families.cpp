#include "schedule/tables/message_families.h"

namespace coppice::schedule {
namespace {

struct Arrival {
  NodeId src = topology::kNoNode;
  Op op = Op::kNop;
  Pieces pieces;
};

// The sender of a message. A message sent down comes from the switch to which the node has just sent.
NodeId sender_of(const ChunkProgram& program, NodeId node, int message) {
  const ChunkProgram::Step& step = program.step_of(message);
  if (step.leg != ChunkProgram::Leg::kDown) return node;
  const auto before = static_cast<std::size_t>(&step - program.steps().data()) - 1;
  return program.move(node, program.steps()[before].first_message).dst;
}

// The arrivals at every node: [node][arrival number].
std::vector<std::vector<Arrival>> find_arrivals(const ChunkProgram& program) {
  std::vector<std::vector<Arrival>> arrivals(static_cast<std::size_t>(program.accelerators()));
  for (int m = 0; m < program.messages(); ++m) {
    for (NodeId node = 0; node < program.accelerators(); ++node) {
      const ChunkProgram::Move& move = program.move(node, m);
      const auto dst = static_cast<std::size_t>(move.dst);
      if (arrivals.size() <= dst) arrivals.resize(dst + 1);
      const auto number = static_cast<std::size_t>(program.arrival(node, m));
      if (arrivals[dst].size() <= number) arrivals[dst].resize(number + 1);
      arrivals[dst][number] = {sender_of(program, node, m), program.step_of(m).op(), move.pieces};
    }
  }
  return arrivals;
}

}  // namespace

// A message's family consists of the senders of all earlier arrivals whose pieces overlap the message.
MessageFamilies::MessageFamilies(const ChunkProgram& program)
    : accelerators_(static_cast<std::size_t>(program.accelerators())), ends_{0} {
  const std::vector<std::vector<Arrival>> arrivals = find_arrivals(program);
  for (int m = 0; m < program.messages(); ++m) {
    const ChunkProgram::Step& step = program.step_of(m);
    for (NodeId node = 0; node < program.accelerators(); ++node) {
      const Pieces& sent = program.move(node, m).pieces;
      const std::span<const Arrival> inbox = arrivals[static_cast<std::size_t>(sender_of(program, node, m))];
      NodeId value_from = topology::kNoNode;
      for (const Arrival& arrival : inbox.first(static_cast<std::size_t>(step.dependencies))) {
        if (!arrival.pieces.overlap(sent)) continue;
        // A stored value replaces the previous contents.
        if (arrival.op == Op::kGather) {
          nodes_.resize(ends_.back());
          value_from = arrival.src;
        } else {
          nodes_.push_back(arrival.src);
        }
      }
      if (step.op() == Op::kGather) {
        nodes_.resize(ends_.back());
        if (value_from != topology::kNoNode) nodes_.push_back(value_from);
      }
      ends_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    }
  }
}

}  // namespace coppice::schedule
