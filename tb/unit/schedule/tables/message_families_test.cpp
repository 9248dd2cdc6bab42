#include "schedule/tables/message_families.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "hierarchical_machine.h"
#include "machine.h"

namespace coppice::schedule {
namespace {

using topology::DimensionKind;

// In a ring of four, each partial sum includes the one received before, and the family of a final value is
// the accelerator that sent it.
TEST(MessageFamilies, AreTheNeighbourOnARing) {
  const HierarchicalMachine machine({dimension(DimensionKind::kRing, 4)});
  const ChunkProgram program = program_of(machine.topology, 8, Collective::kAllReduce, {0});
  const MessageFamilies families(program);
  int named = 0;
  for (int m = 0; m < program.messages(); ++m) {
    const ChunkProgram::Step& step = program.step_of(m);
    for (NodeId node = 0; node < 4; ++node) {
      const auto family = families.of(node, m);
      if (step.op() == Op::kReduce && step.in_stage == 0) {
        EXPECT_TRUE(family.empty());
        continue;
      }
      if (step.op() == Op::kGather && step.in_stage == 0) continue;
      ++named;
      ASSERT_EQ(family.size(), 1U);
      const NodeId to = program.move(node, m).dst;
      EXPECT_EQ(family.front(), (2 * node - to + 4) % 4);  // the neighbour other than the destination
    }
  }
  EXPECT_EQ(named, 4 * 2 * (2 + 2));
}

// The reference: the family of a sum consists of the sources of all sums that have reached the sender. The
// family of a final value is the source of the last value that the sender received.
RC_GTEST_PROP(MessageFamilies, AreTheSourcesOfTheData, ()) {
  const HierarchicalMachine machine(random_dimensions());
  const auto nodes = machine.topology.num_accelerators();
  DimensionOrder order(machine.topology.dims().size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[*rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, i))]);
  }
  const auto pieces = static_cast<int>(pieces_of_a_chunk(nodes, true));
  const ChunkProgram program = program_of(machine.topology, pieces, random_collective(), order);
  const MessageFamilies families(program);
  struct Came {
    NodeId src;
    int message;
    Op op;
  };
  std::vector<std::vector<Came>> came(static_cast<std::size_t>(nodes * pieces));
  const auto at = [&](NodeId node, int piece) -> std::vector<Came>& {
    return came[static_cast<std::size_t>(node * pieces + piece)];
  };
  for (const ChunkProgram::Step& step : program.steps()) {
    const int end = step.first_message + step.messages;
    for (int m = step.first_message; m < end; ++m) {
      for (NodeId node = 0; node < nodes; ++node) {
        const Pieces sent = program.move(node, m).pieces;
        std::set<std::pair<int, NodeId>> sums;  // keyed by message number
        std::pair<int, NodeId> value{-1, topology::kNoNode};
        for (int piece = sent.first; piece < sent.end(); ++piece) {
          for (const Came& one : at(node, piece)) {
            if (one.op == Op::kReduce) sums.emplace(one.message, one.src);
            if (one.op == Op::kGather) value = std::max(value, {one.message, one.src});
          }
        }
        std::vector<NodeId> expected;
        if (step.op() == Op::kReduce) {
          for (const auto& [message, src] : sums) expected.push_back(src);
        } else if (value.first >= 0) {
          expected.push_back(value.second);
        }
        RC_ASSERT(std::ranges::equal(families.of(node, m), expected));
      }
    }
    for (int m = step.first_message; m < end; ++m) {
      for (NodeId node = 0; node < nodes; ++node) {
        const ChunkProgram::Move& move = program.move(node, m);
        for (int piece = move.pieces.first; piece < move.pieces.end(); ++piece) {
          at(move.dst, piece).push_back({node, m, step.op()});
        }
      }
    }
  }
}

}  // namespace
}  // namespace coppice::schedule
