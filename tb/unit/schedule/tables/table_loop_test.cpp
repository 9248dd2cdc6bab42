#include "schedule/tables/table_loop.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "machine.h"
#include "schedule/tables/ni_overhead.h"
#include "table_comparison.h"

namespace coppice::schedule {
namespace {

std::vector<TableEntry> expanded(const TableLoop& loop) {
  std::vector<TableEntry> entries;
  loop.for_each_entry([&](const TableEntry& entry) { entries.push_back(entry); });
  return entries;
}

void require_exact(const Table& table, const TableLoop& loop, bool nops) {
  std::vector<TableEntry> wanted;
  for (const TableEntry& entry : table) {
    if (nops || entry.op != Op::kNop) wanted.push_back(entry);
  }
  const std::vector<TableEntry> got = expanded(loop);
  RC_ASSERT(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    RC_ASSERT(same(got[i], wanted[i]));
    RC_ASSERT(got[i].route == wanted[i].route);
  }
}

TableEntry message(std::int32_t flow, std::int32_t step, Bytes address) {
  TableEntry entry;
  entry.op = Op::kGather;
  entry.flow = flow;
  entry.step = step;
  entry.address = address;
  entry.bytes = 64;
  entry.route = flow % 2;
  entry.children = {3};
  return entry;
}

// A port serves two trees. The second tree's messages follow the first tree's one step and one iteration
// later.
TEST(TableLoop, HasOneHopPerLine) {
  std::vector<TableEntry> entries;
  for (int piece = 0; piece <= 10; ++piece) {
    if (piece < 10) entries.push_back(message(2 * piece, 3 + 2 * piece, 128 * piece));
    if (piece > 0) entries.push_back(message(2 * piece - 1, 4 + 2 * piece, 128 * (piece - 1) + 64));
  }
  const Table table(entries);
  const TableLoop loop(table, {.flow = 2, .address = 128, .step = 2});
  ASSERT_EQ(loop.lines().size(), 2U);
  EXPECT_EQ(loop.entries(), 20);
  EXPECT_EQ(loop.iterations(), 11);
  EXPECT_TRUE(loop.repeats());
  EXPECT_EQ(loop.lines()[0].first, 0);
  EXPECT_EQ(loop.lines()[0].end, 10);
  EXPECT_EQ(loop.lines()[1].first, 1);
  EXPECT_EQ(loop.lines()[1].end, 11);
  EXPECT_EQ(loop.lines()[1].base.flow, -1);
  EXPECT_EQ(loop.lines()[1].base.address, -64);
  require_exact(table, loop, true);
}

TEST(TableLoop, SkipsLinesOutsideTheirIterations) {
  std::vector<TableEntry> entries;
  for (int piece = 0; piece < 8; ++piece) entries.push_back(message(2 * piece, 1 + 2 * piece, 128 * piece));
  for (int piece = 8; piece < 16; ++piece)
    entries.push_back(message(2 * piece + 1, 2 + 2 * piece, 128 * piece));
  const TableLoop loop(Table(entries), {.flow = 2, .address = 128, .step = 2});
  ASSERT_EQ(loop.lines().size(), 2U);
  std::int32_t passed = -1;
  TableLoop::Place place = loop.next_active({}, passed);
  EXPECT_EQ(passed, 0);
  place = loop.next_active(loop.after(place), passed);
  EXPECT_EQ(passed, 1);
  EXPECT_EQ(place.iteration, 1);
}

TEST(TableLoop, HasOneIterationIfNothingRepeats) {
  std::vector<TableEntry> entries;
  for (int i = 0; i < 20; ++i) entries.push_back(message(i * i, i + 1, 4 * i));
  for (const Repetition& repetition : {Repetition{}, Repetition{.flow = 1, .address = 64, .step = 1}}) {
    const TableLoop loop(Table(entries), repetition);
    EXPECT_EQ(loop.lines().size(), 20U);
    EXPECT_EQ(loop.iterations(), 1);
    EXPECT_FALSE(loop.repeats());
    EXPECT_EQ(loop.stride().step, 0);
  }
  EXPECT_EQ(TableLoop(Table(), {.flow = 1, .address = 1, .step = 1}).entries(), 0);
}

// For any table and declared repetition, expanding the loop restores the table's entries.
RC_GTEST_PROP(TableLoop, IsExactForAnyTable, ()) {
  const auto count = *rc::gen::inRange(0, 120);
  const Repetition repetition{.flow = *rc::gen::inRange(-2, 4),
                              .address = 4 * *rc::gen::inRange<Bytes>(-3, 40),
                              .step = *rc::gen::inRange(0, 6)};
  std::vector<TableEntry> entries;
  std::int32_t step = *rc::gen::inRange(1, 9);
  for (int i = 0; i < count; ++i) {
    // The table is mostly a pipeline, but contains gaps, nops, and steps that repeat or decrease.
    const std::int32_t piece = i / std::max(*rc::gen::element(1, 2, 3), 1);
    const bool nop = *rc::gen::inRange(0, 6) == 0;
    TableEntry entry =
        message(std::max(piece * repetition.flow, 0), step, std::max<Bytes>(piece * repetition.address, 0));
    if (nop) {
      entry = {};
      entry.step = step;
      entry.bytes = 64;
    }
    entries.push_back(entry);
    step = std::max(step + *rc::gen::element(0, 1, 1, 1, 2, repetition.step, -1), 1);
  }
  const Table table(entries);
  const bool nops = *rc::gen::arbitrary<bool>();
  require_exact(table, TableLoop(table, repetition, nops), nops);
}

// The schedules of random algorithms on random networks, with the declared repetition or with an arbitrary
// one.
RC_GTEST_PROP(TableLoop, IsExactForEveryAlgorithm, ()) {
  const auto all = algorithms();
  const AlgorithmInfo info = all[*rc::gen::inRange<std::size_t>(0, all.size())];
  if (info.make == nullptr) RC_DISCARD("has no compiler");
  const Machine machine = random_machine(3);
  CompileRequest request = machine.request(Collective::kAllReduce, random_size());
  request.chunks = *rc::gen::inRange(1, 12);
  if (*rc::gen::arbitrary<bool>()) {
    request.timing = {.flit = 16, .router = 5'000'000, .interface_time = 5'000'000, .cycle = 1'000'000};
  }
  Schedule schedule;
  try {
    schedule = make_compiler(info.name)->compile(machine.topology, request);
  } catch (const UnsupportedError&) {
    RC_DISCARD("does not apply");
  }
  const bool nops = *rc::gen::arbitrary<bool>();
  const Repetition claimed =
      *rc::gen::element(schedule.repetition, Repetition{.flow = 1, .address = 4, .step = 1},
                        Repetition{.flow = 2, .address = 64, .step = 3});
  for (const NodeTables& node : schedule.nodes) {
    for (const Table& table : node.ports) require_exact(table, TableLoop(table, claimed, nops), nops);
  }
}

Bytes held_bytes(const std::string& algorithm, const Machine& machine, Bytes size, int chunks) {
  CompileRequest request = timed(machine.request(Collective::kAllReduce, size));
  request.chunks = chunks;
  const Schedule schedule = make_compiler(algorithm)->compile(machine.topology, request);
  const Bytes longest = longest_message(schedule);
  const NiOverhead overhead = ni_overhead(machine.topology, schedule, {longest / 16 + 1, 1});
  return overhead.folded ? overhead.folded->table_bytes : overhead.table_bytes;
}

TEST(TableLoop, NeedsNoMoreLinesForManyPiecesThanForTwo) {
  struct Case {
    const char* algorithm;
    Machine machine;
  };
  std::vector<Case> cases;
  cases.push_back({"packed_trees", mesh({4, 4})});
  cases.push_back({"packed_trees", torus({4, 4})});
  cases.push_back({"packed_trees", mesh({8})});
  for (const char* algorithm : {"double_tree", "overlapped_double_tree", "tree", "overlapped_tree"}) {
    cases.push_back({algorithm, mesh({4, 4})});
    cases.push_back({algorithm, dgx1()});
  }
  for (const Case& each : cases) {
    for (const Bytes size : {Bytes{1} << 20, Bytes{1} << 22}) {
      const Bytes two = held_bytes(each.algorithm, each.machine, size, 2);
      EXPECT_LE(held_bytes(each.algorithm, each.machine, size, 64), two)
          << each.algorithm << " on " << each.machine.topology.name() << ", " << size;
    }
  }
}

}  // namespace
}  // namespace coppice::schedule
