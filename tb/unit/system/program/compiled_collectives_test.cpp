#include "system/program/compiled_collectives.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "schedule/proof/checker.h"
#include "small_program.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using workload::CollectiveOp;
using Members = std::vector<topology::NodeId>;

workload::GroupCollective all_reduce(Bytes bytes) {
  workload::GroupCollective collective;
  collective.name = "sum";
  collective.bytes = bytes;
  return collective;
}

class CompiledCollectivesTest : public ::testing::Test {
 protected:
  SmallMachine machine_{"kind: torus, dims: [4, 4]", {"collectives.all_reduce.algorithm=ring"}};
  CompiledCollectives compiler_{machine_.loaded(), machine_.topology(), machine_.routing()};
};

TEST_F(CompiledCollectivesTest, CompilesEqualCollectivesOnce) {
  const Members row{0, 1, 2, 3};
  const auto& first = compiler_.collective(all_reduce(4096), row);
  EXPECT_EQ(&compiler_.collective(all_reduce(4096), row), &first);
  EXPECT_EQ(&compiler_.collective(all_reduce(4095), row),
            &first);  // 4,095 bytes are padded to the same whole elements
  EXPECT_NE(&compiler_.collective(all_reduce(4100), row), &first);
  const auto& other = compiler_.collective(all_reduce(4096), {4, 5, 6, 7});
  EXPECT_NE(&other, &first);
  EXPECT_EQ(other.schedule.steps, first.schedule.steps);
  EXPECT_EQ(other.messages, first.messages);
  EXPECT_THAT(other.accelerators, ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(&compiler_.transfer(0, 5, 100), &compiler_.transfer(0, 5, 99));
  EXPECT_NE(&compiler_.transfer(0, 5, 100), &compiler_.transfer(5, 0, 100));
}

// In a ring of four, each phase has n - 1 steps, and every member sends in each step.
TEST_F(CompiledCollectivesTest, CountsEntriesArrivalsAndMessages) {
  const auto& ring = compiler_.collective(all_reduce(4096), {1, 5, 9, 13});
  std::int64_t arrivals = 0;
  for (const std::int64_t of_member : ring.arrivals) arrivals += of_member;
  EXPECT_EQ(arrivals, ring.messages);
  EXPECT_EQ(ring.messages, 4 * 2 * 3);
  for (const std::int64_t entries : ring.entries) EXPECT_GE(entries, 6);
  EXPECT_GT(ring.flit_hops, 0);
  EXPECT_GT(ring.least_ns, 0);
}

// Even if the controller chooses the routes of messages, the group's order determines which member sends to
// which.
TEST_F(CompiledCollectivesTest, KeepsTheOrderOfGroupsThatUseTheMachinesRoutes) {
  Members all(16);
  for (topology::NodeId i = 0; i < 16; ++i) all[static_cast<std::size_t>(i)] = (i * 5) % 16;
  for (const Members& members : {all, Members{2, 0, 3, 1}}) {
    CompiledCollectives routed(machine_.loaded(), machine_.topology(), machine_.routing(),
                               {.ways = GroupRouting::kRouted});
    const auto& ring = routed.collective(all_reduce(4096), members);
    EXPECT_EQ(ring.accelerators, members);
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const auto& port : ring.schedule.nodes[i].ports) {
        for (const auto& entry : port) {
          if (entry.op == schedule::Op::kNop) continue;
          EXPECT_EQ(entry.destination(), members[(i + 1) % members.size()]);
        }
      }
    }
  }
}

TEST_F(CompiledCollectivesTest, HasAnElementForEveryMember) {
  EXPECT_EQ(compiler_.collective(all_reduce(1), {0, 1, 2, 3}).schedule.size, 16);
  EXPECT_EQ(compiler_.transfer(0, 1, 0).schedule.size, 4);
  EXPECT_EQ(compiler_.transfer(0, 1, 5).schedule.size, 8);
}

// The root is given as an index in the group, whereas tables are in the order of the network's accelerators.
TEST_F(CompiledCollectivesTest, BroadcastsFromItsRoot) {
  workload::GroupCollective collective = all_reduce(1024);
  collective.op = CollectiveOp::kBroadcast;
  collective.root = 1;
  const auto& compiled = compiler_.collective(collective, {7, 4, 6, 5});
  EXPECT_THAT(compiled.accelerators, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(compiled.arrivals[0], 0);  // the root, accelerator 4
  for (std::size_t member = 1; member < 4; ++member) EXPECT_GT(compiled.arrivals[member], 0) << member;
  collective.root = 0;
  EXPECT_EQ(compiler_.collective(collective, {7, 4, 6, 5}).arrivals[3], 0);
}

// A transfer is one message on the machine's own route, so it traverses one router more than it has hops.
TEST_F(CompiledCollectivesTest, SendsOneMessage) {
  const auto& sent = compiler_.transfer(0, 10, 256);
  EXPECT_EQ(sent.messages, 1);
  EXPECT_THAT(sent.arrivals, ElementsAre(0, 1));
  EXPECT_THAT(sent.entries, ElementsAre(1, 0));
  EXPECT_EQ(sent.schedule.routes.front().size(), 2U + 2U + 1U);
}

TEST_F(CompiledCollectivesTest, ReportsTheInvalidCollective) {
  const SmallMachine machine("kind: torus, dims: [4, 4]", {"collectives.all_reduce.algorithm=ring2d"});
  CompiledCollectives compiler(machine.loaded(), machine.topology(), machine.routing());
  EXPECT_THAT(
      [&] {
        compiler.collective(all_reduce(1024), {0, 1, 2, 3});
      },
      ThrowsMessage<ConfigError>(
          AllOf(HasSubstr("collective 'sum' among accelerators 0, 1, 2, 3"), HasSubstr("ring2d"))));
}

// Each row of the torus is a ring with a virtual channel for its dateline.
TEST_F(CompiledCollectivesTest, IsFreeOfDeadlock) {
  for (int row = 0; row < 4; ++row) {
    compiler_.collective(all_reduce(1024), {4 * row, 4 * row + 1, 4 * row + 2, 4 * row + 3});
  }
  for (topology::NodeId node = 1; node < 16; ++node) compiler_.transfer(0, node, 64);
  EXPECT_NO_THROW(compiler_.require_deadlock_free());
}

}  // namespace
}  // namespace coppice::system
