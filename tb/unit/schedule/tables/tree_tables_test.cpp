#include "schedule/tables/tree_tables.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "packed_trees_machine.h"
#include "schedule/proof/symmetric_check.h"
#include "schedule/proof/tree_check.h"
#include "table_comparison.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(TreeTables, HaveTheEntriesOfSeparateTables, ()) {
  const PackedTrees trees = random_packed_trees();
  RC_ASSERT(tree_tables_of(trees.machine.topology, trees.packed) != nullptr);
  RC_ASSERT(!has_patterns(trees.stored));
  require_same_tables(trees.packed, trees.stored);
  RC_ASSERT(trees.packed.routes == trees.stored.routes);
  RC_ASSERT(trees.packed.algorithm == trees.stored.algorithm);
  RC_ASSERT(trees.packed.least_steps == trees.stored.least_steps);
}

// A network interface executes an entry without knowing the sources of its data.
RC_GTEST_PROP(TreeTables, ProvideTheOtherFieldsOfAnInterface, ()) {
  const PackedTrees trees = random_packed_trees();
  for (const NodeTables& node : trees.packed.nodes) {
    for (const Table& table : node.ports) {
      for (std::size_t i = 0; i < table.size(); ++i) {
        TableEntry message;
        table.read_message(i, message);
        TableEntry entry = table[i];
        if (entry.op == Op::kReduce) entry.children.clear();
        if (entry.op == Op::kGather) entry.parent = topology::kNoNode;
        RC_ASSERT(same(message, entry));
        RC_ASSERT(message.route == entry.route);
        RC_ASSERT(table.source()->route_of(table.slot(), i, table.node()) == entry.route);
      }
    }
  }
}

// Tables are shared only if every channel has its own port; otherwise, a port sends several messages in a
// timestep.
TEST(TreeTables, AreForSeparatePortsAndManyAccelerators) {
  const Machine machine = mesh({4, 4});
  CompileRequest request = machine.request(Collective::kAllReduce, 64);
  const auto compiled = [&] { return make_compiler("multitree")->compile(machine.topology, request); };
  request.pattern_beyond = 15;
  EXPECT_TRUE(has_patterns(compiled()));
  request.ni_ports = 3;
  EXPECT_FALSE(has_patterns(compiled()));
  request.ni_ports = 4;
  request.pattern_beyond = 16;
  EXPECT_FALSE(has_patterns(compiled()));
}

// A channel with twice the bandwidth serves two trees per timestep, which shared tables do not support.
TEST(TreeTables, AreNotForFasterLinks) {
  const std::vector<topology::LinkSpec> links{{{16'000'000'000}, 0}, {{32'000'000'000}, 0}};
  const Machine machine = make_machine(topology::make_torus(std::vector<int>{4, 4}, links));
  CompileRequest request = machine.request(Collective::kAllReduce, 64);
  request.pattern_beyond = 1;
  EXPECT_FALSE(has_patterns(make_compiler("multitree")->compile(machine.topology, request)));
}

}  // namespace
}  // namespace coppice::schedule
