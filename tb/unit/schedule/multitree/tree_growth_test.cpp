#include "schedule/multitree/tree_growth.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

Schedule compile_rooted(const Machine& machine, Collective collective, NodeId root, int pieces, Bytes size) {
  CompileRequest request = machine.request(collective, size);
  request.root = root;
  request.chunks = pieces;
  return make_compiler("multitree")->compile(machine.topology, request);
}

RC_GTEST_PROP(TreeGrowth, BroadcastAndReduceAreCorrectAndShareNoChannelInAStep, ()) {
  const Machine machine = *rc::gen::arbitrary<bool>() ? random_machine() : random_graph(6, 4, 4);
  const NodeId root = *rc::gen::inRange(0, machine.topology.num_accelerators());
  const auto collective = *rc::gen::element(Collective::kAllGather, Collective::kReduceScatter);
  const Schedule schedule = compile_rooted(machine, collective, root, *rc::gen::inRange(1, 5), random_size());
  RC_ASSERT(check_schedule(machine.topology, schedule).disjoint_steps);
  if (machine.topology.num_accelerators() > 1) {
    RC_ASSERT(collective_name(schedule) == (collective == Collective::kAllGather ? "broadcast" : "reduce"));
  }
}

// The first piece takes one timestep for each channel of its path. The root sends one piece per channel per
// timestep.
TEST(TreeGrowth, PiecesAreSentOneAfterAnother) {
  const Machine line = mesh({5});
  EXPECT_EQ(grow_trees_of(line.topology, 0, 1, 1).steps, 4);
  EXPECT_EQ(grow_trees_of(line.topology, 0, 10, 1).steps, 4 + 9);
  EXPECT_EQ(grow_trees_of(built(topology::Kind::kSwitch, {8}).topology, 3, 16, 1).steps, 7 + 15);
  EXPECT_LE(grow_trees_of(torus({4, 4}).topology, 0, 16, 1).steps, 4 + 16 / 4 + 2);
}

TEST(TreeGrowth, AReductionIsAReversedBroadcast) {
  const Machine machine = torus({4, 4});
  const Schedule reduce = compile_rooted(machine, Collective::kReduceScatter, 5, 4, 1 << 16);
  const Schedule broadcast = compile_rooted(machine, Collective::kAllGather, 5, 4, 1 << 16);
  EXPECT_EQ(reduce.steps, broadcast.steps);
  EXPECT_TRUE(reduce.nodes[5].ports[0].empty());
  EXPECT_FALSE(broadcast.nodes[5].ports[0].empty());
}

}  // namespace
}  // namespace coppice::schedule
