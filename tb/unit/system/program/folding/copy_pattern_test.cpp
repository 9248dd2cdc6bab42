#include "system/program/folding/copy_pattern.h"

#include <bit>
#include <numeric>

#include <gtest/gtest.h>

#include "small_program.h"
#include "system/collective/verification.h"

namespace coppice::system {
namespace {

class CopyPatternTest : public ::testing::Test {
 protected:
  // The copy pattern of a collective among 8 accelerators behind a switch. Each accelerator is one copy.
  std::optional<CopyPattern> pattern_of(const std::string& algorithm, workload::CollectiveOp op) {
    const SmallMachine machine("kind: switch, dims: [16]",
                               {"collectives=" + ("{" + std::string(workload::to_string(op)) +
                                                  ": {algorithm: " + algorithm + "}}")});
    CompiledCollectives compiler(machine.loaded(), machine.topology(), machine.routing());
    workload::GroupCollective collective;
    collective.op = op;
    collective.bytes = 4096;
    std::vector<topology::NodeId> members(8);
    std::iota(members.begin(), members.end(), 0);
    compiled_ = compiler.placed(collective, members);
    std::vector<CopyMember> of;
    std::vector<std::int32_t> member_of(32, -1);
    for (int member = 0; member < 8; ++member) {
      of.push_back({0, member});
      member_of[static_cast<std::size_t>(member)] = member;
    }
    change(compiled_.schedule);
    boundaries_ = contribution_boundaries(compiled_.schedule);
    return find_copy_pattern(compiled_.schedule, of, member_of, *boundaries_);
  }

  std::function<void(schedule::Schedule&)> change = [](schedule::Schedule&) {};
  CompiledCollective compiled_;
  std::shared_ptr<const std::vector<Bytes>> boundaries_;
};

TEST_F(CopyPatternTest, RotatesARing) {
  const auto pattern = pattern_of("ring", workload::CollectiveOp::kReduceScatter);
  ASSERT_TRUE(pattern);
  int senders = 0;
  for (std::size_t copy = 0; copy < 8; ++copy) {
    if (pattern->images[copy] == nullptr) continue;
    ++senders;
    for (std::size_t member = 0; member < 8; ++member) {
      EXPECT_EQ(pattern->images[copy]->members[member], static_cast<int>((member + copy) % 8));
    }
  }
  EXPECT_EQ(senders, 1);  // in a ring, each member receives from only one other
}

TEST_F(CopyPatternTest, ExchangesByTheBitsOfHalvingDoubling) {
  for (const auto op : {workload::CollectiveOp::kReduceScatter, workload::CollectiveOp::kAllGather,
                        workload::CollectiveOp::kAllReduce}) {
    const auto pattern = pattern_of("halving_doubling", op);
    ASSERT_TRUE(pattern) << workload::to_string(op);
    for (std::size_t copy = 0; copy < 8; ++copy) {
      ASSERT_EQ(pattern->images[copy] != nullptr, std::popcount(copy) == 1);
      if (pattern->images[copy] == nullptr) continue;
      for (std::size_t member = 0; member < 8; ++member) {
        EXPECT_EQ(pattern->images[copy]->members[member], static_cast<int>(member ^ copy));
      }
    }
  }
}

TEST_F(CopyPatternTest, RejectsCopiesThatDiffer) {
  const auto expect_none = [&](const char* what, std::function<void(schedule::TableEntry&)> damage) {
    change = [damage = std::move(damage)](schedule::Schedule& schedule) {
      for (schedule::Table& port : schedule.nodes[3].ports) {
        if (!port.empty()) damage(port.entries().back());
      }
    };
    EXPECT_FALSE(pattern_of("ring", workload::CollectiveOp::kReduceScatter)) << what;
  };
  expect_none("step", [](schedule::TableEntry& entry) { ++entry.step; });
  expect_none("dependencies", [](schedule::TableEntry& entry) { --entry.dependencies; });
  expect_none("length", [](schedule::TableEntry& entry) { entry.bytes /= 2; });
  expect_none("destination", [](schedule::TableEntry& entry) { entry.parent = 6; });
  expect_none("flow", [](schedule::TableEntry& entry) { entry.flow = (entry.flow + 1) % 8; });
  expect_none("address", [](schedule::TableEntry& entry) { entry.address = (entry.address + 512) % 4096; });
}

TEST_F(CopyPatternTest, RefusesTreesOfOneRoot) {
  EXPECT_FALSE(pattern_of("double_tree", workload::CollectiveOp::kAllReduce));
}

}  // namespace
}  // namespace coppice::system
