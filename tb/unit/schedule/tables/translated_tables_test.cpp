#include "schedule/tables/translated_tables.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "machine.h"
#include "schedule/compile/symmetric_builder.h"
#include "schedule/multitree/torus_trees.h"
#include "schedule/proof/checker.h"
#include "schedule/proof/symmetric_check.h"
#include "schedule/trees/scheduled_trees.h"
#include "table_comparison.h"

namespace coppice::schedule {
namespace {

// A ring on a torus or mesh with an even side, or MultiTree on a torus; data that every accelerator has as
// much of.
struct Symmetric {
  Machine machine;
  CompileRequest request;
  std::string algorithm;

  Schedule compile() const { return make_compiler(algorithm)->compile(machine.topology, request); }
};

Symmetric ring_on(Machine machine, Collective collective) {
  Symmetric symmetric{std::move(machine), {}, "ring"};
  const int n = symmetric.machine.topology.num_accelerators();
  symmetric.request = symmetric.machine.request(collective, Bytes{8} * n);
  symmetric.request.pattern_beyond = 1;
  return symmetric;
}

Symmetric trees_on(Machine machine, Collective collective, int pieces) {
  Symmetric symmetric{std::move(machine), {}, "multitree_optimal"};
  const int n = symmetric.machine.topology.num_accelerators();
  symmetric.request = symmetric.machine.request(collective, Bytes{8} * n * pieces);
  symmetric.request.chunks = pieces;
  symmetric.request.pattern_beyond = 1;
  return symmetric;
}

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
  const Symmetric multitree = trees_on(torus(dims), random_collective(), pieces);
  const Schedule pattern = multitree.compile();
  RC_CLASSIFY(has_patterns(pattern));
  RC_PRE(has_patterns(pattern));
  const auto trees = translated_trees(multitree.machine.topology, pieces, multitree.request.seed, 40);
  const Schedule stored =
      schedule_trees(multitree.machine.topology, multitree.request, "multitree_optimal", *trees);
  require_same_tables(pattern, stored);
  RC_ASSERT(symmetry_of(multitree.machine.topology, pattern) != nullptr);
  require_same_report(check_schedule(multitree.machine.topology, pattern),
                      check_schedule(multitree.machine.topology, stored));
}

// With fewer NI ports than channels, several messages of a port share a step, in another order.
RC_GTEST_PROP(TablePattern, IsRightOnFewPorts, ()) {
  const auto dims =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 4), rc::gen::inRange(2, 5));
  Symmetric multitree = trees_on(torus(dims), random_collective(), *rc::gen::inRange(1, 3));
  multitree.request.ni_ports = *rc::gen::inRange(1, 4);
  const Schedule pattern = multitree.compile();
  const CheckReport report = check_schedule(multitree.machine.topology, pattern);
  const CheckReport of_all = check_schedule(multitree.machine.topology, with_stored_entries(pattern));
  require_same_report(report, of_all);
}

TEST(TablePattern, IsForManyAcceleratorsOfAsMuchDataEach) {
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

class SpoiltPatternTest : public testing::Test {
 protected:
  void refuses(const std::string& what) {
    EXPECT_THAT([&] { check_schedule(symmetric_.machine.topology, schedule_); },
                testing::ThrowsMessage<ScheduleError>(testing::HasSubstr(what)));
  }
  // The pattern with one field of its tables changed.
  template <typename Change>
  void spoil(Change change) {
    const TablePattern& good = *schedule_.nodes[0].ports[0].pattern();
    TablePattern::Spec spec{
        .pieces = good.pieces(), .bytes = good.bytes(), .slots = {}, .ways = good.ways(), .routes = {}};
    for (std::size_t slot = 0; slot < good.slots(); ++slot) {
      spec.slots.emplace_back(good.entries(slot).begin(), good.entries(slot).end());
    }
    for (NodeId node = 0; node < 16; ++node) {
      for (std::int32_t way = 0; way < static_cast<std::int32_t>(good.ways()); ++way) {
        spec.routes.push_back(good.route(node, way));
      }
    }
    change(spec);
    const auto spoilt = std::make_shared<const TablePattern>(good.moves(), std::move(spec));
    for (NodeTables& node : schedule_.nodes) {
      for (Table& table : node.ports) table = Table(spoilt, table.slot(), table.node());
    }
  }
  static TableEntry& first(TablePattern::Spec& spec, Op op) {
    return *std::ranges::find_if(spec.slots[1], [&](const TableEntry& e) { return e.op == op; });
  }

  Symmetric symmetric_ = trees_on(torus({4, 4}), Collective::kAllReduce, 1);
  Schedule schedule_ = symmetric_.compile();
};

TEST_F(SpoiltPatternTest, IsRefusedForMissingDependencies) {
  spoil([](TablePattern::Spec& spec) { --spec.slots[1].back().dependencies; });
  refuses("the value it depends on came from -1");
}

TEST_F(SpoiltPatternTest, IsRefusedForDependenciesThatNeverCome) {
  spoil([](TablePattern::Spec& spec) { first(spec, Op::kReduce).dependencies += 16; });
  refuses("waits for");
}

TEST_F(SpoiltPatternTest, IsRefusedForALostContribution) {
  spoil([](TablePattern::Spec& spec) {
    for (auto& slot : spec.slots) {
      const auto leaf = std::ranges::find_if(
          slot, [](const TableEntry& e) { return e.op == Op::kReduce && e.dependencies == 0; });
      if (leaf == slot.end()) continue;
      slot.erase(leaf);
      return;
    }
  });
  refuses("");
}

TEST_F(SpoiltPatternTest, IsRefusedForAWrongDestination) {
  spoil([](TablePattern::Spec& spec) { first(spec, Op::kGather).children.front() ^= 1; });
  refuses("its route leads to");
}

TEST_F(SpoiltPatternTest, ReportsWhatMessagesShare) {
  spoil([](TablePattern::Spec& spec) {
    auto& slot = spec.slots[0];
    const auto second =
        std::ranges::find_if(slot, [&](const TableEntry& e) { return e.step > slot.front().step; });
    second->step = slot.front().step;
  });
  const CheckReport report = check_schedule(symmetric_.machine.topology, schedule_);
  const CheckReport of_all = check_schedule(symmetric_.machine.topology, with_stored_entries(schedule_));
  EXPECT_FALSE(report.disjoint_steps);
  EXPECT_FALSE(of_all.disjoint_steps);
}

// One accelerator's table differs: all of them are proven one by one.
TEST_F(SpoiltPatternTest, IsNotTakenForWhole) {
  for (Table& table : schedule_.nodes[9].ports) {
    if (!table.empty()) table[0].dependencies += 7;
  }
  EXPECT_EQ(symmetry_of(symmetric_.machine.topology, schedule_), nullptr);
  refuses("accelerator 9");
}

TEST(TablePattern, AsymmetricChannelsAreProvenOneByOne) {
  const Symmetric symmetric = trees_on(torus({4, 4}), Collective::kAllReduce, 1);
  const Schedule schedule = symmetric.compile();
  const topology::Topology& even = symmetric.machine.topology;
  topology::Topology uneven(even.kind(), even.dims(), even.num_accelerators(), 0);
  for (const topology::Channel& channel : even.channels()) {
    uneven.add_channel(channel.src, channel.dst, channel.bandwidth,
                       channel.latency + (channel.src == 7 ? 1 : 0), channel.dimension);
  }
  EXPECT_NE(symmetry_of(even, schedule), nullptr);
  EXPECT_EQ(symmetry_of(uneven, schedule), nullptr);
  check_schedule(uneven, schedule);
}

}  // namespace
}  // namespace coppice::schedule
