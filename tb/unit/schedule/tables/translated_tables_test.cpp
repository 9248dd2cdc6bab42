#include "schedule/tables/translated_tables.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "schedule/multitree/torus_trees.h"
#include "schedule/proof/checker.h"
#include "schedule/proof/symmetric_check.h"
#include "schedule/tables/ni_overhead.h"
#include "schedule/trees/scheduled_trees.h"
#include "symmetric_machine.h"
#include "table_comparison.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(TablePattern, HasTheRingsTables, ()) {
  const auto dims =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 4), rc::gen::inRange(1, 6));
  Symmetric ring = ring_on(*rc::gen::arbitrary<bool>() ? torus(dims) : mesh(dims), random_collective());
  ring.request.ni_ports = *rc::gen::inRange(1, 7);
  const Schedule pattern = ring.compile();
  ring.request.pattern_beyond = 1 << 20;
  const Schedule stored = ring.compile();
  RC_CLASSIFY(has_patterns(pattern));
  RC_ASSERT(!has_patterns(stored));
  require_same_tables(pattern, stored);
  require_same_report(check_schedule(ring.machine.topology, pattern),
                      check_schedule(ring.machine.topology, stored));
}

RC_GTEST_PROP(TablePattern, HasTheTablesOfTranslatedTrees, ()) {
  const auto dims =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 4), rc::gen::inRange(1, 6));
  const int pieces = *rc::gen::inRange(1, 4);
  Symmetric multitree = trees_on(torus(dims), random_collective(), pieces);
  const Schedule pattern = multitree.compile();
  RC_CLASSIFY(has_patterns(pattern));
  RC_PRE(has_patterns(pattern));
  multitree.request.pattern_beyond = 1 << 20;
  const auto trees = translated_trees(multitree.machine.topology, pieces, multitree.request.seed, 40);
  const Schedule stored =
      schedule_trees(multitree.machine.topology, multitree.request, "multitree_optimal", *trees);
  require_same_tables(pattern, stored);
  RC_ASSERT(symmetry_of(multitree.machine.topology, pattern) != nullptr);
  require_same_report(check_schedule(multitree.machine.topology, pattern),
                      check_schedule(multitree.machine.topology, stored));
}

RC_GTEST_PROP(TablePattern, HasTheTablesOfMultiTreeAndBucketRings, ()) {
  const std::size_t dimensions = *rc::gen::inRange<std::size_t>(1, 4);
  const auto dims = *rc::gen::arbitrary<bool>()
                        ? std::vector<int>(dimensions, *rc::gen::inRange(2, 6))
                        : *rc::gen::container<std::vector<int>>(dimensions, rc::gen::inRange(2, 6));
  constexpr int kAnyPieces = 2 * 4 * 6;  // bucket rings cut a chunk into two pieces per dimension
  const Symmetric multitree = trees_on(torus(dims), random_collective(), kAnyPieces);
  CompileRequest request = multitree.request;
  request.chunks = 1;
  const bool equal = std::ranges::all_of(dims, [&](int width) { return width == dims.front(); });
  const auto compiler = make_compiler(equal && *rc::gen::arbitrary<bool>() ? "bucket" : "multitree");
  const Schedule pattern = compiler->compile(multitree.machine.topology, request);
  RC_ASSERT(has_patterns(pattern));
  request.pattern_beyond = 1 << 20;
  const Schedule stored = compiler->compile(multitree.machine.topology, request);
  RC_ASSERT(!has_patterns(stored));
  require_same_tables(pattern, stored);
  RC_ASSERT(longest_message(pattern) == longest_message(stored));
  const auto overhead_of = [&](const Schedule& schedule) {
    return to_json(ni_overhead(multitree.machine.topology, schedule, {.flits = 3, .packets = 1}));
  };
  RC_ASSERT(overhead_of(pattern) == overhead_of(stored));
  RC_ASSERT(symmetry_of(multitree.machine.topology, pattern) != nullptr);
  require_same_report(check_schedule(multitree.machine.topology, pattern),
                      check_schedule(multitree.machine.topology, stored));
}

// With fewer NI ports than channels, a port sends several messages per step, whose order may differ between
// accelerators.
RC_GTEST_PROP(TablePattern, IsCorrectOnFewPorts, ()) {
  const auto dims =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 4), rc::gen::inRange(2, 5));
  Symmetric multitree = trees_on(torus(dims), random_collective(), *rc::gen::inRange(1, 3));
  multitree.request.ni_ports = *rc::gen::inRange(1, 4);
  const Schedule pattern = multitree.compile();
  const CheckReport report = check_schedule(multitree.machine.topology, pattern);
  const CheckReport of_all = check_schedule(multitree.machine.topology, with_stored_entries(pattern));
  require_same_report(report, of_all);
}

TEST(TablePattern, IsForManyAcceleratorsWithEqualData) {
  Symmetric ring = ring_on(torus({4, 4}), Collective::kAllReduce);
  EXPECT_TRUE(has_patterns(ring.compile()));
  ring.request.pattern_beyond = 16;
  EXPECT_FALSE(has_patterns(ring.compile()));
  ring.request.pattern_beyond = 15;
  ring.request.size += 4;
  EXPECT_FALSE(has_patterns(ring.compile()));
}

TEST(TablePattern, ChangedTablesHaveTheirOwnEntries) {
  Schedule schedule = ring_on(torus({4, 4}), Collective::kAllReduce).compile();
  Table& table = *std::ranges::find_if(schedule.nodes[5].ports, [](const Table& t) { return !t.empty(); });
  const TableEntry before = std::as_const(table)[3];
  EXPECT_EQ(table.stored().size(), 0U);
  table[3].step += 1;
  EXPECT_EQ(table.pattern(), nullptr);
  EXPECT_EQ(table.stored()[3].step, before.step + 1);
  EXPECT_EQ(table.stored()[3].flow, before.flow);
}

}  // namespace
}  // namespace coppice::schedule
