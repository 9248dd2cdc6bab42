#include "ni/schedule_table.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace coppice::ni
