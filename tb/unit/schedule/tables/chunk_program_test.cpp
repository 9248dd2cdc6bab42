#include "schedule/tables/chunk_program.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "hierarchical_machine.h"
#include "machine.h"

namespace coppice::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using topology::DimensionKind;

struct Dimensions {
  explicit Dimensions(const std::vector<topology::DimensionSpec>& specs) : machine(specs) {}

  int pieces() const {
    return static_cast<int>(pieces_of_a_chunk(machine.topology.num_accelerators(), true));
  }
  ChunkProgram program(Collective collective, const DimensionOrder& order) const {
    return program_of(machine.topology, pieces(), collective, order);
  }

  HierarchicalMachine machine;
};

// For every piece at every accelerator, the contributions that it includes, as one bit per accelerator (at
// most 64).
class HeldValues {
 public:
  explicit HeldValues(const ChunkProgram& program)
      : program_(program), held_(static_cast<std::size_t>(program.accelerators() * program.pieces())) {
    for (NodeId node = 0; node < program.accelerators(); ++node) {
      for (int piece = 0; piece < program.pieces(); ++piece) at(node, piece) = own(node);
    }
  }

  static std::uint64_t own(NodeId node) { return std::uint64_t{1} << node; }
  std::uint64_t everyone() const {
    const int nodes = program_.accelerators();
    return nodes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << nodes) - 1;
  }
  std::uint64_t& at(NodeId node, int piece) {
    return held_[static_cast<std::size_t>(node * program_.pieces() + piece)];
  }

  // Executes a step. All messages leave before any of them arrives, and a contribution must not be added
  // twice.
  void run(const ChunkProgram::Step& step) {
    const std::vector<std::uint64_t> before = held_;
    for (int m = step.first_message; m < step.first_message + step.messages; ++m) {
      for (NodeId node = 0; node < program_.accelerators(); ++node) {
        const ChunkProgram::Move& move = program_.move(node, m);
        for (int piece = move.pieces.first; piece < move.pieces.end(); ++piece) {
          const std::uint64_t sent = before[static_cast<std::size_t>(node * program_.pieces() + piece)];
          std::uint64_t& there = at(move.dst, piece);
          if (step.op() == Op::kReduce) RC_ASSERT((there & sent) == 0U);
          there = step.op() == Op::kReduce ? there | sent : sent;
        }
      }
    }
  }

 private:
  const ChunkProgram& program_;
  std::vector<std::uint64_t> held_;
};

RC_GTEST_PROP(ChunkProgram, ReducesAndGathersEveryPiece, ()) {
  const Dimensions machine(random_dimensions());
  const Collective collective = random_collective();
  DimensionOrder order(machine.machine.topology.dims().size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<DimensionOrder::value_type>(d);
  std::rotate(order.begin(), order.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(order)),
              order.end());
  const ChunkProgram program = machine.program(collective, order);
  HeldValues held(program);
  if (collective == Collective::kAllGather) {
    // Every accelerator holds the final values of its share.
    for (NodeId node = 0; node < program.accelerators(); ++node) {
      const Pieces share = program.share(node);
      for (int piece = share.first; piece < share.end(); ++piece) held.at(node, piece) = held.everyone();
    }
  }
  for (const ChunkProgram::Step& step : program.steps()) held.run(step);
  for (NodeId node = 0; node < program.accelerators(); ++node) {
    const Pieces share = program.share(node);
    RC_ASSERT(share.count == program.pieces() / program.accelerators());
    for (int piece = 0; piece < program.pieces(); ++piece) {
      const bool owns = piece >= share.first && piece < share.end();
      if (owns || collective != Collective::kReduceScatter)
        RC_ASSERT(held.at(node, piece) == held.everyone());
    }
  }
}

TEST(ChunkProgram, HalvesTheRestInEveryDimension) {
  const Dimensions machine(
      {dimension(DimensionKind::kSwitch, 4), dimension(DimensionKind::kFullyConnected, 3)});
  const ChunkProgram program = machine.program(Collective::kAllReduce, {0, 1});
  // Two halving steps among 4 accelerators, one step with messages to both other accelerators of a group of
  // 3, and then the reverse.
  ASSERT_EQ(program.steps().size(), 6U);
  std::vector<Bytes> shares;
  std::vector<int> messages;
  for (const ChunkProgram::Step& step : program.steps()) {
    shares.push_back(step.stage.shares);
    messages.push_back(step.messages);
  }
  EXPECT_THAT(shares, ElementsAre(12, 12, 3, 1, 3, 3));
  EXPECT_THAT(messages, ElementsAre(1, 1, 2, 2, 1, 1));
  EXPECT_EQ(program.messages(), 8);
}

TEST(PieceBounds, DifferByAtMostOneElement) {
  EXPECT_THAT(piece_bounds(3, 40, 4), ElementsAre(0, 12, 24, 40));
  EXPECT_THAT(piece_bounds(4, 16, 4), ElementsAre(0, 4, 8, 12, 16));
}

TEST(RequireEnoughData, StatesWhatAChunkNeeds) {
  EXPECT_NO_THROW(require_enough_data(12, 48, 4));
  EXPECT_THAT(
      [] { require_enough_data(12, 44, 4); },
      ThrowsMessage<UnsupportedError>(HasSubstr("a chunk of 12 pieces needs at least 48 B, not 44 B")));
}

}  // namespace
}  // namespace coppice::schedule
