#include "ni/issue/schedule_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace coppice::ni {
namespace {

TEST(ScheduleTable, IsDoneBeforeItIsLoaded) {
  EXPECT_EQ(ScheduleTable().head(), nullptr);
}

TEST(ScheduleTable, ReadsItsEntriesInOrder) {
  schedule::Table entries(std::vector<TableEntry>(2));
  entries[0].flow = 7;
  entries[1].flow = 8;
  ScheduleTable table;
  table.load(entries);
  EXPECT_EQ(table.head()->flow, 7);
  table.pop();
  EXPECT_EQ(table.head()->flow, 8);
  EXPECT_EQ(table.issued(), 1U);
  table.pop();
  EXPECT_EQ(table.head(), nullptr);
  table.load(entries);
  EXPECT_EQ(table.issued(), 0U);
  EXPECT_EQ(table.head()->flow, 7);
}

// The table repeats one entry group per piece. In every group except the first, a nop lies between the two
// gathers.
TEST(ScheduleTable, ReadsAFoldedTable) {
  constexpr int kPieces = 10;
  std::vector<TableEntry> entries;
  const auto add = [&](schedule::Op op, std::int32_t flow, std::int32_t step) {
    TableEntry entry;
    entry.op = op;
    entry.flow = op == schedule::Op::kNop ? -1 : flow;
    entry.step = step;
    if (op == schedule::Op::kGather) entry.children = {1};
    entries.push_back(entry);
  };
  for (int piece = 0; piece < kPieces; ++piece) {
    add(schedule::Op::kGather, 2 * piece, 1 + 3 * piece);
    if (piece > 0) add(schedule::Op::kNop, -1, 2 + 3 * piece);
    add(schedule::Op::kGather, 2 * piece + 1, 3 + 3 * piece);
  }
  const schedule::Table plain(entries);
  for (const bool nops : {true, false}) {
    ScheduleTable table;
    table.load(plain, {.flow = 2, .address = 0, .step = 3}, nops);
    EXPECT_FALSE(table.entries_stay());
    std::size_t passed = 0;
    std::size_t popped = 0;
    for (const TableEntry& entry : plain) {
      if (!nops && entry.op == schedule::Op::kNop) continue;
      for (; table.passes(); ++passed) table.pass();
      ASSERT_NE(table.head(), nullptr);
      EXPECT_EQ(table.head()->flow, entry.flow);
      EXPECT_EQ(table.head()->step, entry.step);
      table.pop();
      EXPECT_EQ(table.issued(), ++popped);
    }
    EXPECT_EQ(table.head(), nullptr);
    EXPECT_EQ(passed, nops ? 1U : 0U);
  }
}

TEST(ScheduleTable, LooksAheadInAFoldedTable) {
  std::vector<TableEntry> entries;
  for (int step = 1; step <= 20; ++step) {
    TableEntry entry;
    entry.op = step % 4 == 0 ? schedule::Op::kReduce : schedule::Op::kNop;
    entry.flow = entry.op == schedule::Op::kNop ? -1 : step / 4;
    entry.parent = entry.op == schedule::Op::kNop ? topology::kNoNode : 1;
    entry.step = step;
    entries.push_back(entry);
  }
  const schedule::Table plain(entries);
  ScheduleTable table;
  table.load(plain, {.flow = 1, .address = 0, .step = 4}, true);
  for (int step = 1; step <= 20; ++step) {
    ASSERT_NE(table.next_message(), nullptr);
    EXPECT_EQ(table.next_message()->flow, (step + 3) / 4);
    EXPECT_EQ(table.head()->step, step);
    table.pop();
  }
  EXPECT_EQ(table.next_message(), nullptr);
}

}  // namespace
}  // namespace coppice::ni
