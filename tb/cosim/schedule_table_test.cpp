#include "ni/issue/schedule_table.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "Vschedule_table.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

constexpr unsigned kEntryBits = 192;
constexpr unsigned kIterationBits = 10;
constexpr unsigned kAddressAt = 38;
constexpr unsigned kFlitsAt = 102;
constexpr unsigned kFlitsBits = 24;

// Writes the lowest `width` bits (at most 32) of `value` at bit `at`.
void put(std::uint32_t* words, unsigned at, unsigned width, std::uint32_t value) {
  for (unsigned i = 0; i < width; ++i, ++at) {
    const std::uint32_t bit = 1U << (at % 32);
    words[at / 32] = (words[at / 32] & ~bit) | (((value >> i) & 1) != 0 ? bit : 0);
  }
}

std::uint32_t get(const std::uint32_t* words, unsigned at, unsigned width) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < width; ++i, ++at) value |= ((words[at / 32] >> (at % 32)) & 1) << i;
  return value;
}

// A pseudo-random number of flits, which identifies the entry.
std::uint32_t flits_of(Bytes bytes) {
  return (static_cast<std::uint32_t>(bytes) * 2654435761U) >> (32 - kFlitsBits);
}

// A pseudo-random word address, which identifies the entry.
std::uint32_t address_of(Bytes bytes) {
  return (static_cast<std::uint32_t>(bytes) * 2246822519U) >> 8;
}

// Loads a line into the table. The lowest bits of the line identify its entry: op, flow, dependencies and
// part of the step.
void load(Clocked<Vschedule_table>& table, std::uint32_t index, const schedule::TableLine& line) {
  table->load_valid_i = 1;
  table->load_index_i = index & 255;
  table->load_line_i[0] = static_cast<std::uint32_t>(line.base.bytes);
  table->load_line_i[5] = ~static_cast<std::uint32_t>(line.base.bytes);
  put(&table->load_line_i[0], kAddressAt, 24, address_of(line.base.bytes));
  put(&table->load_line_i[0], kFlitsAt, kFlitsBits, flits_of(line.base.bytes));
  put(&table->load_line_i[0], kEntryBits, kIterationBits, static_cast<std::uint32_t>(line.first));
  put(&table->load_line_i[0], kEntryBits + kIterationBits, kIterationBits,
      static_cast<std::uint32_t>(line.end));
  table.tick();
  table->load_valid_i = 0;
}

void start(Clocked<Vschedule_table>& table, const schedule::TableLoop& loop) {
  table->pop_i = 0;
  for (std::uint32_t i = 0; i < loop.lines().size(); ++i) load(table, i, loop.lines()[i]);
  table->lines_i = loop.lines().size();
  table->count_i = static_cast<std::uint32_t>(loop.entries());
  table->flow_stride_i = loop.stride().flow & 0x3ff;
  table->address_stride_i = static_cast<std::uint32_t>(loop.stride().address / 4) & 0xffffff;
  table->step_stride_i = loop.stride().step & 0xffff;
  table->start_i = table->first_i = 1;
  table.tick();
  table->start_i = table->first_i = 0;
}

// A table of pipelined hops, each of which is active in a range of the `iterations`. Hops begin before
// iteration `latest` and last at most `longest` iterations.
schedule::Table pipeline(Stimulus& random, const schedule::Repetition& by, std::uint32_t latest,
                         std::uint32_t longest, std::uint32_t iterations) {
  struct Hop {
    std::uint32_t first;
    std::uint32_t end;
    std::int32_t flow;
  };
  std::vector<Hop> hops;
  for (std::uint32_t i = 0; i < 1 + random.below(6); ++i) {
    const std::uint32_t first = i == 0 ? 0 : random.below(latest);
    hops.push_back({first, first + 1 + random.below(longest), static_cast<std::int32_t>(random.below(8))});
  }
  std::vector<schedule::TableEntry> entries;
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
    for (std::size_t h = 0; h < hops.size(); ++h) {
      if (iteration < hops[h].first || iteration >= hops[h].end) continue;
      const auto turn = static_cast<std::int32_t>(iteration);
      schedule::TableEntry entry;
      entry.op = schedule::Op::kReduce;
      entry.parent = 1;
      entry.bytes = static_cast<Bytes>(4 + h);
      entry.flow = hops[h].flow + turn * by.flow;
      entry.address = 4000 + turn * by.address;
      entry.step = 1 + static_cast<std::int32_t>(h) + turn * by.step;
      entries.push_back(entry);
    }
  }
  return {entries};
}

TEST(ScheduleTable, ReadsInOrderAndReloads) {
  Clocked<Vschedule_table> table;
  Stimulus random(2);
  std::uint64_t passed = 0;
  for (int round = 0; round < 400; ++round) {
    schedule::Repetition by{};
    schedule::Table entries;
    if (round % 2 == 0) {
      entries = schedule::Table(std::vector<schedule::TableEntry>(round == 0 ? 256 : random.below(40)));
      for (auto& entry : entries.entries()) entry.bytes = random.word() >> 1;
    } else if (round % 20 != 1) {
      by = {.flow = static_cast<std::int32_t>(random.below(4)),
            .address = 4 * Bytes{random.below(100)},
            .step = static_cast<std::int32_t>(8 + random.below(4))};
      entries = pipeline(random, by, 5, 12, 20);
    } else {  // uses the largest iterations and strides that fit into the fields
      by = {.flow = static_cast<std::int32_t>(random.below(1000)),
            .address = 4 * Bytes{random.below(1 << 24)},
            .step = static_cast<std::int32_t>(8 + random.below(50))};
      entries = pipeline(random, by, 900, 900, 1000);
    }
    const schedule::TableLoop loop(entries, by);
    table->absorbs_i = random.word() >> (32 - kFlitsBits);
    start(table, loop);
    ni::ScheduleTable model;
    model.load(entries, by, true);
    const std::uint32_t pop_share = random.below(100) + 1;
    const std::size_t cycles = 3 * entries.size() + 8 * static_cast<std::size_t>(loop.iterations());
    for (std::size_t cycle = 0; cycle < cycles + 30; ++cycle) {
      const bool passes = model.head() != nullptr && model.passes();
      table->pop_i = !passes && random.percent(pop_share);
      table.settle();
      ASSERT_EQ(table->valid_o, model.head() != nullptr);
      ASSERT_EQ(table->pass_o, passes);
      ASSERT_EQ(table->issued_o, model.issued());
      if (passes) {
        model.pass();
        ++passed;
      } else if (const schedule::TableEntry* head = model.head(); head != nullptr) {
        const auto bits = static_cast<std::uint32_t>(head->bytes);
        // In iteration i, flow, step and address exceed those of the line by i strides.
        const std::int32_t iteration = loop.repeats() ? (head->step - 1) / by.step : 0;
        const std::uint32_t flow = (bits >> 2) + static_cast<std::uint32_t>(iteration * by.flow);
        const std::uint32_t step = (bits >> 22) + static_cast<std::uint32_t>(iteration * by.step);
        ASSERT_EQ(get(&table->entry_o[0], 0, 2), bits & 3);
        ASSERT_EQ(get(&table->entry_o[0], 2, 10), flow & 0x3ff);
        ASSERT_EQ(get(&table->entry_o[0], 12, 10), (bits >> 12) & 0x3ff);
        ASSERT_EQ(get(&table->entry_o[0], 22, 16), step & 0xffff);
        const std::uint32_t offset = static_cast<std::uint32_t>(iteration * by.address / 4);
        ASSERT_EQ(get(&table->entry_o[0], kAddressAt, 24), (address_of(head->bytes) + offset) & 0xffffff);
        ASSERT_EQ(get(&table->entry_o[0], kFlitsAt, kFlitsBits), flits_of(head->bytes));
        ASSERT_EQ(table->entry_o[5], ~bits);
        ASSERT_EQ(table->above_o, flits_of(head->bytes) > table->absorbs_i);
        if (table->pop_i) model.pop();
      }
      table.tick();
      if (random.one_in(round % 20 == 1 ? 4000 : 100)) break;  // restarts before the table's end
    }
    if (random.one_in(10)) {
      table.reset();
      table.settle();
      ASSERT_EQ(table->valid_o, 0);
    }
  }
  EXPECT_GT(passed, 500U);
}

}  // namespace
}  // namespace coppice::cosim
