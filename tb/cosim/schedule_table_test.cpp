#include "ni/schedule_table.h"

#include <gtest/gtest.h>

#include "Vschedule_table.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

// Entries are told apart by their flow.
TEST(ScheduleTable, ReadsInOrderAndReloads) {
  Clocked<Vschedule_table> table;
  Stimulus random(2);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t count = round == 0 ? 256 : random.below(40);
    schedule::Table entries{std::vector<schedule::TableEntry>(count)};
    table->pop_i = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      entries[i].flow = static_cast<std::int32_t>(random.word() >> 1);
      table->load_valid_i = 1;
      table->load_index_i = i & 255;
      table->load_entry_i[0] = static_cast<std::uint32_t>(entries[i].flow);
      table->load_entry_i[5] = ~static_cast<std::uint32_t>(entries[i].flow);
      table.tick();
    }
    table->load_valid_i = 0;
    table->count_i = count;
    table->start_i = 1;
    table.tick();
    table->start_i = 0;
    ni::ScheduleTable model;
    model.load(entries);
    const std::uint32_t pop_share = random.below(100) + 1;
    for (std::uint32_t cycle = 0; cycle < 2 * count + 10; ++cycle) {
      table->pop_i = random.percent(pop_share);
      table.settle();
      ASSERT_EQ(table->valid_o, model.head() != nullptr);
      ASSERT_EQ(table->issued_o, model.issued());
      if (model.head() != nullptr) {
        ASSERT_EQ(table->entry_o[0], static_cast<std::uint32_t>(model.head()->flow));
        ASSERT_EQ(table->entry_o[5], ~static_cast<std::uint32_t>(model.head()->flow));
        if (table->pop_i) model.pop();
      }
      table.tick();
      if (random.one_in(100)) break;  // started again in the midst
    }
    if (random.one_in(10)) {
      table.reset();
      table.settle();
      ASSERT_EQ(table->valid_o, 0);
    }
  }
}

}  // namespace
}  // namespace coppice::cosim
