#include "schedule/proof/tree_check.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <utility>

#include "packed_trees_machine.h"
#include "schedule/proof/checker.h"
#include "schedule/proof/symmetric_check.h"
#include "table_comparison.h"

namespace coppice::schedule {
namespace {

std::size_t below(std::size_t end) {
  return *rc::gen::inRange<std::size_t>(0, end);
}

Schedule with_tables(const Schedule& schedule, TreeTables::Spec spec) {
  Schedule changed = schedule;
  const std::size_t ports = spec.ports;
  const auto tables = std::make_shared<const TreeTables>(std::move(spec));
  for (std::size_t node = 0; node < changed.nodes.size(); ++node) {
    for (std::size_t port = 0; port < ports; ++port) {
      changed.nodes[node].ports[port] = Table(tables, node * ports + port, static_cast<NodeId>(node));
    }
  }
  return changed;
}

void damage_messages(TreeTables::Spec& spec) {
  TreeTables::Flow& one = spec.flows[below(spec.flows.size())];
  if (*rc::gen::arbitrary<bool>()) {
    std::swap(one, spec.flows[below(spec.flows.size())]);
  } else {
    one = static_cast<TreeTables::Flow>(below(spec.chunks.size()));
  }
}

void damage_places(TreeTables::Spec& spec) {
  TreeTables::Place& place = spec.places[below(spec.places.size())];
  switch (below(4)) {
    case 0:
      place.up = static_cast<std::uint8_t>(below(spec.ports));
      break;
    case 1:
      place.up = TreeTables::Place::kRoot;
      break;
    case 2:
      place.children = static_cast<std::uint8_t>(below(5));
      break;
    default:
      std::swap(place, spec.places[below(spec.places.size())]);
  }
}

void damage_data(TreeTables::Spec& spec) {
  Chunk& chunk = spec.chunks[below(spec.chunks.size())];
  switch (below(3)) {
    case 0:
      chunk.bytes += 4;
      break;
    case 1:
      chunk.address += 4;
      break;
    default:
      std::swap(chunk, spec.chunks[below(spec.chunks.size())]);
  }
}

RC_GTEST_PROP(TreeCheck, AgreesWithTheProofOfAllMessages, ()) {
  const PackedTrees trees = random_packed_trees();
  const TreeTables* tables = tree_tables_of(trees.machine.topology, trees.packed);
  RC_ASSERT(tables != nullptr);
  const auto report = check_trees(trees.machine.topology, trees.packed, *tables);
  RC_ASSERT(report.has_value());
  const CheckReport of_all = check_schedule(trees.machine.topology, trees.stored);
  require_same_report(*report, of_all);
  RC_ASSERT(report->shared.size() == of_all.shared.size());
}

// check_trees() accepts only correct tables. It leaves all other tables to the general proof.
RC_GTEST_PROP(TreeCheck, AcceptsNothingWrong, ()) {
  const PackedTrees trees = random_packed_trees(4);
  const TreeTables* tables = tree_tables_of(trees.machine.topology, trees.packed);
  RC_ASSERT(tables != nullptr);
  TreeTables::Spec spec = tables->spec();
  for (std::size_t i = 0; i <= below(2); ++i) {
    const auto kind = below(8);
    if (kind < 4) damage_messages(spec);
    if (kind >= 4 && kind < 7) damage_places(spec);
    if (kind == 7) damage_data(spec);
  }
  const Schedule damaged = with_tables(trees.packed, std::move(spec));
  const auto checked = [&](auto check) -> std::optional<CheckReport> {
    try {
      return check();
    } catch (const ScheduleError&) {
      return std::nullopt;
    }
  };
  const auto of_trees = checked([&] {
    return check_trees(trees.machine.topology, damaged, *tree_tables_of(trees.machine.topology, damaged));
  });
  RC_CLASSIFY(of_trees.has_value());
  if (!of_trees) return;
  const auto of_all = checked(
      [&] { return std::optional(check_schedule(trees.machine.topology, with_stored_entries(damaged))); });
  RC_ASSERT(of_all.has_value());
  require_same_report(*of_trees, *of_all);
}

TEST(TreeCheck, IsOnlyForTheTablesOfOneSource) {
  const Machine machine = mesh({3, 3});
  CompileRequest request = machine.request(Collective::kAllReduce, 36);
  request.pattern_beyond = 1;
  Schedule schedule = make_compiler("multitree")->compile(machine.topology, request);
  ASSERT_NE(tree_tables_of(machine.topology, schedule), nullptr);
  std::swap(schedule.nodes[0].ports[0], schedule.nodes[0].ports[1]);
  EXPECT_EQ(tree_tables_of(machine.topology, schedule), nullptr);
  std::swap(schedule.nodes[0].ports[0], schedule.nodes[0].ports[1]);
  schedule.nodes[4].ports[2].entries();
  EXPECT_EQ(tree_tables_of(machine.topology, schedule), nullptr);
}

}  // namespace
}  // namespace coppice::schedule
