#include "schedule/proof/data_groups.h"

#include <gmock/gmock.h>

#include "machine.h"

namespace coppice::schedule {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Adds entries at given addresses. The i-th message belongs to round i.
class DataGroupsTest : public testing::Test {
 protected:
  void add(std::int32_t flow, Bytes address, Bytes bytes) {
    entries_.push_back(
        {.op = Op::kReduce, .flow = flow, .children = {}, .step = 1, .address = address, .bytes = bytes});
  }
  std::vector<Message> messages() const {
    std::vector<Message> result;
    for (const TableEntry& entry : entries_) {
      result.push_back({.entry = &entry, .round = static_cast<std::int32_t>(result.size())});
    }
    return result;
  }
  Schedule schedule() const {
    Schedule schedule;
    schedule.flows = 8;
    schedule.size = 1024;
    return schedule;
  }

  std::vector<TableEntry> entries_;
};

TEST_F(DataGroupsTest, FlowsWithDifferentDataAreSeparateGroups) {
  add(0, 0, 64);
  add(1, 64, 64);
  const std::vector<Message> sent = messages();
  const Schedule tables = schedule();
  const MessageGroups groups(tables, sent);
  ASSERT_THAT(groups.groups(), SizeIs(2));
  EXPECT_EQ(groups.groups()[0].begin, 0);
  EXPECT_EQ(groups.groups()[0].end, 64);
  EXPECT_THAT(groups.groups()[1].flows, ElementsAre(1));
}

// Flows 0 and 1 do not overlap, but flow 2 overlaps both, so all three form one group.
TEST_F(DataGroupsTest, FlowsOverlapThroughOtherFlows) {
  add(0, 0, 64);
  add(1, 64, 64);
  add(2, 32, 64);
  const std::vector<Message> sent = messages();
  const Schedule tables = schedule();
  const MessageGroups groups(tables, sent);
  ASSERT_THAT(groups.groups(), SizeIs(1));
  EXPECT_THAT(groups.groups()[0].flows, testing::UnorderedElementsAre(0, 1, 2));
  EXPECT_EQ(groups.groups()[0].end, 128);
  std::int32_t round = -1;
  for (const Message* message : groups.groups()[0].messages)
    EXPECT_GT(message->round, std::exchange(round, message->round));
}

TEST_F(DataGroupsTest, DataIsDividedWhereMessagesAndSharesBegin) {
  add(0, 0, 64);
  add(0, 32, 32);
  const std::vector<Message> sent = messages();
  const Schedule tables = schedule();
  const MessageGroups groups(tables, sent);
  ASSERT_THAT(groups.groups(), SizeIs(1));
  const GroupLayout whole = lay_out(groups.groups()[0], {});
  EXPECT_THAT(whole.cuts, ElementsAre(0, 32, 64));
  EXPECT_THAT(whole.owners, IsEmpty());
  EXPECT_EQ(whole.covered[0].first, 0);
  EXPECT_EQ(whole.covered[0].end, 2);
  EXPECT_EQ(whole.covered[1].first, 1);
  const std::vector<Share> shares{{{0, 16}, 0}, {{16, 48}, 1}};
  const GroupLayout owned = lay_out(groups.groups()[0], shares);
  EXPECT_THAT(owned.cuts, ElementsAre(0, 16, 32, 64));
  EXPECT_THAT(owned.owners, ElementsAre(0, 1, 1));
}

// There are as many cuts as messages, so a quadratic algorithm would take too long.
TEST_F(DataGroupsTest, ManyCutsAreFoundInOrder) {
  const int parts = 100'000;
  for (int part = 0; part < parts; ++part) add(0, Bytes{4} * (part * 7919 % parts), 4);
  const std::vector<Message> sent = messages();
  Schedule tables = schedule();
  tables.size = Bytes{4} * parts;
  const MessageGroups groups(tables, sent);
  ASSERT_THAT(groups.groups(), SizeIs(1));
  const GroupLayout layout = lay_out(groups.groups()[0], {});
  ASSERT_EQ(layout.intervals(), static_cast<std::size_t>(parts));
  for (int cut = 0; cut <= parts; ++cut)
    ASSERT_EQ(layout.cuts[static_cast<std::size_t>(cut)], Bytes{4} * cut);
  for (std::size_t m = 0; m < sent.size(); ++m) {
    ASSERT_EQ(layout.covered[m].first, sent[m].entry->address / 4);
    ASSERT_EQ(layout.covered[m].end, layout.covered[m].first + 1);
  }
}

}  // namespace
}  // namespace coppice::schedule
