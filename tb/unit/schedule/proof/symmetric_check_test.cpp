#include "schedule/proof/symmetric_check.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/proof/checker.h"
#include "symmetric_machine.h"
#include "table_comparison.h"

namespace coppice::schedule {
namespace {

class SpoiltPatternTest : public testing::Test {
 protected:
  void refuses(const std::string& what) {
    EXPECT_THAT([&] { check_schedule(symmetric_.machine.topology, schedule_); },
                testing::ThrowsMessage<ScheduleError>(testing::HasSubstr(what)));
  }
  // Applies `change` to the specification of the pattern and rebuilds all tables.
  template <typename Change>
  void spoil(Change change, NodeId nodes = 16) {
    const TablePattern& good = *schedule_.nodes[0].ports[0].pattern();
    TablePattern::Spec spec{
        .pieces = good.pieces(), .bytes = good.bytes(), .slots = {}, .ways = good.ways(), .routes = {}};
    for (std::size_t slot = 0; slot < good.slots(); ++slot) {
      spec.slots.emplace_back(good.entries(slot).begin(), good.entries(slot).end());
    }
    for (NodeId node = 0; node < nodes; ++node) {
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

TEST_F(SpoiltPatternTest, IsRejectedForMissingDependencies) {
  spoil([](TablePattern::Spec& spec) { --spec.slots[1].back().dependencies; });
  refuses("the value it depends on came from no accelerator");
}

TEST_F(SpoiltPatternTest, IsRejectedForDependenciesThatNeverArrive) {
  spoil([](TablePattern::Spec& spec) { first(spec, Op::kReduce).dependencies += 16; });
  refuses("waits for");
}

TEST_F(SpoiltPatternTest, IsRejectedForALostContribution) {
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

TEST_F(SpoiltPatternTest, IsRejectedForAWrongDestination) {
  spoil([](TablePattern::Spec& spec) { first(spec, Op::kGather).children.front() ^= 1; });
  refuses("its route leads to");
}

TEST_F(SpoiltPatternTest, ReportsSharedChannels) {
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

// If the tables of one accelerator differ from the pattern, the tables of every accelerator are proven.
TEST_F(SpoiltPatternTest, IsNotMistakenForSymmetric) {
  for (Table& table : schedule_.nodes[9].ports) {
    if (!table.empty()) table[0].dependencies += 7;
  }
  EXPECT_EQ(symmetry_of(symmetric_.machine.topology, schedule_), nullptr);
  refuses("accelerator 9");
}

TEST(SymmetricCheck, AsymmetricChannelsAreProvenSeparately) {
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

TEST(SymmetricCheck, IsOnlyForPatterns) {
  const Machine machine = torus({4, 4});
  const Schedule stored = machine.compile("multitree", Collective::kAllReduce, 1024);
  EXPECT_EQ(symmetry_of(machine.topology, stored), nullptr);
  EXPECT_FALSE(has_patterns(stored));
  EXPECT_EQ(symmetry_of(machine.topology, Schedule()), nullptr);
  const Symmetric symmetric = trees_on(torus({4, 4}), Collective::kAllReduce, 1);
  Schedule schedule = symmetric.compile();
  // With numbered arrivals, a lockstep or shares, a proof for the origin's tables does not cover the other
  // accelerators.
  for (const auto& change : std::vector<std::function<void(Schedule&)>>{
           [](Schedule& s) { s.numbered_arrivals = true; }, [](Schedule& s) { s.ordered_by_lockstep = true; },
           [](Schedule& s) {
             s.shares = {{{0, s.size}, 0}};
           },
           [](Schedule& s) { s.size += 4; }, [](Schedule& s) { --s.flows; },
           [](Schedule& s) { s.nodes.pop_back(); }, [](Schedule& s) { std::swap(s.nodes[3], s.nodes[4]); }}) {
    Schedule changed = schedule;
    change(changed);
    EXPECT_EQ(symmetry_of(symmetric.machine.topology, changed), nullptr);
  }
  EXPECT_NE(symmetry_of(symmetric.machine.topology, schedule), nullptr);
  EXPECT_EQ(symmetry_of(torus({4, 2}).topology, schedule), nullptr);
}

TEST(SymmetricCheck, KeepsTheTablesOfOne) {
  const Symmetric symmetric = trees_on(torus({4, 2}), Collective::kAllReduce, 1);
  const Schedule schedule = symmetric.compile();
  const Schedule alone = with_tables_of(schedule, 5);
  const Schedule stored = with_stored_entries(schedule);
  EXPECT_TRUE(has_patterns(schedule));
  EXPECT_FALSE(has_patterns(stored));
  require_same_tables(schedule, stored);
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    ASSERT_EQ(alone.nodes[node].ports.size(), schedule.nodes[node].ports.size());
    for (std::size_t port = 0; port < schedule.nodes[node].ports.size(); ++port) {
      const Table& table = alone.nodes[node].ports[port];
      EXPECT_EQ(table.size(), node == 5 ? stored.nodes[node].ports[port].size() : 0U);
      EXPECT_EQ(table.source(), nullptr);
      for (std::size_t i = 0; i < table.size(); ++i) {
        EXPECT_TRUE(same(table[i], stored.nodes[node].ports[port][i]));
      }
    }
  }
}

// Changes a random entry of the origin's tables, and thereby the tables of all accelerators. The proof of the
// origin's tables must agree with the proof of all entries.
RC_GTEST_FIXTURE_PROP(SpoiltPatternTest, AgreesWithTheProofOfAllEntries, ()) {
  const auto below = [](std::size_t n) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, n));
  };
  symmetric_ = trees_on(torus({*rc::gen::element(2, 3, 4), *rc::gen::element(1, 2, 3)}), random_collective(),
                        *rc::gen::element(1, 2));
  schedule_ = symmetric_.compile();
  RC_PRE(has_patterns(schedule_));
  const std::size_t nodes = schedule_.nodes.size();
  RC_ASSERT(symmetry_of(symmetric_.machine.topology, schedule_) != nullptr);
  spoil(
      [&](TablePattern::Spec& spec) {
        auto& slot = spec.slots[below(spec.slots.size())];
        if (slot.empty()) return;
        TableEntry& entry = slot[below(slot.size())];
        TableEntry& other = slot[below(slot.size())];
        if (entry.op == Op::kNop || other.op == Op::kNop) return;
        switch (below(7)) {
          case 0:
            entry.dependencies += *rc::gen::element(-1, 1);
            break;
          case 1:
            std::swap(entry, other);
            std::swap(entry.step, other.step);
            break;
          case 2:
            entry.step = other.step;
            break;
          case 3:
            entry.flow = other.flow;
            entry.address = other.address;
            break;
          case 4: {
            const NodeId to = entry.destination();
            const bool gathers = entry.op == Op::kReduce;
            entry.op = gathers ? Op::kGather : Op::kReduce;
            entry.parent = gathers ? topology::kNoNode : to;
            entry.children.assign(gathers ? 1 : 0, to);
            break;
          }
          case 5:
            slot.erase(slot.begin() + (&entry - slot.data()));
            break;
          default:
            if (entry.op == Op::kReduce) {
              entry.children = {static_cast<NodeId>(below(nodes))};
            } else {
              entry.parent = static_cast<NodeId>(below(nodes)) - 1;
            }
        }
      },
      static_cast<NodeId>(nodes));
  const topology::Topology& topology = symmetric_.machine.topology;
  const TablePattern* pattern = symmetry_of(topology, schedule_);
  RC_ASSERT(pattern != nullptr);
  const auto report_of = [](const auto& prove) -> std::optional<CheckReport> {
    try {
      return prove();
    } catch (const ScheduleError&) {
      return std::nullopt;
    }
  };
  const auto of_one = report_of([&] { return check_symmetric(topology, schedule_, *pattern); });
  const auto of_all = report_of([&] { return check_schedule(topology, with_stored_entries(schedule_)); });
  RC_TAG(of_all ? "right" : "wrong");
  RC_ASSERT(of_one.has_value() == of_all.has_value());
  if (of_one) require_same_report(*of_one, *of_all);
}

}  // namespace
}  // namespace coppice::schedule
