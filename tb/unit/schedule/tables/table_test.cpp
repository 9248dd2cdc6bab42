#include "schedule/tables/table.h"

#include <gmock/gmock.h>

#include "machine.h"

namespace coppice::schedule {
namespace {

// The tables of a ring, which all accelerators share.
class TableTest : public testing::Test {
 protected:
  Schedule compile(int shared_beyond) const {
    CompileRequest request = machine_.request(Collective::kAllReduce, 4096);
    request.pattern_beyond = shared_beyond;
    return make_compiler("ring")->compile(machine_.topology, request);
  }

  Machine machine_ = torus({8});
};

TEST_F(TableTest, SharedTablesReadLikeStoredOnes) {
  const Schedule shared = compile(4);
  const Schedule stored = compile(100);
  ASSERT_EQ(shared.nodes.size(), stored.nodes.size());
  for (std::size_t node = 0; node < shared.nodes.size(); ++node) {
    for (std::size_t port = 0; port < shared.nodes[node].ports.size(); ++port) {
      const Table& a = shared.nodes[node].ports[port];
      const Table& b = stored.nodes[node].ports[port];
      ASSERT_EQ(a.size(), b.size());
      EXPECT_EQ(a.messages(), b.messages());
      auto other = b.begin();
      for (const TableEntry& entry : a) {
        EXPECT_EQ(entry.op, other->op);
        EXPECT_EQ(entry.flow, other->flow);
        EXPECT_EQ(entry.step, other->step);
        EXPECT_EQ(entry.address, other->address);
        EXPECT_EQ(entry.dependencies, other->dependencies);
        ++other;
      }
    }
  }
}

TEST_F(TableTest, ReadingAConstantTableKeepsItShared) {
  const Schedule shared = compile(4);
  const Table& table = shared.nodes[3].ports[0];
  std::int64_t messages = 0;
  for (const TableEntry& entry : table) messages += entry.op == Op::kNop ? 0 : 1;
  for (std::size_t i = 0; i < table.size(); ++i) EXPECT_EQ(table[i].step, table[i].step);
  EXPECT_EQ(messages, table.messages());
  EXPECT_NE(table.source(), nullptr);
  EXPECT_TRUE(table.stored().empty());
}

TEST_F(TableTest, ChangingATableCopiesOnlyItsOwnEntries) {
  Schedule shared = compile(4);
  Table& table = shared.nodes[3].ports[0];
  const std::size_t size = table.size();
  const Bytes bytes = std::as_const(table)[0].bytes;
  table.entries()[0].bytes = bytes + 4;
  EXPECT_EQ(table.source(), nullptr);
  EXPECT_EQ(table.size(), size);
  EXPECT_EQ(std::as_const(table)[0].bytes, bytes + 4);
  EXPECT_EQ(std::as_const(shared.nodes[4].ports[0])[0].bytes, bytes);
}

}  // namespace
}  // namespace coppice::schedule
