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

RC_GTEST_PROP(TreeGrowth, TheTreesOfATorusAreTranslationsOfOne, ()) {
  const auto dims =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 5), rc::gen::inRange(1, 6));
  const topology::Topology topology = torus(dims).topology;
  const Trees one = grow_tree_to_translate(topology);
  const Trees all = grow_trees(topology, 1, LookingOrder::kAsFarAsNeeded);
  RC_ASSERT(one.steps == all.steps);
  const auto moved = [&](NodeId node, NodeId to) {
    std::vector<int> at = topology.coordinates(node);
    const std::vector<int> by = topology.coordinates(to);
    for (std::size_t d = 0; d < at.size(); ++d) at[d] = (at[d] + by[d]) % dims[d];
    return topology.node_at(at);
  };
  for (NodeId root = 0; root < topology.num_accelerators(); ++root) {
    const auto& tree = all.trees[static_cast<std::size_t>(root)];
    RC_ASSERT(tree.size() == one.trees[0].size());
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const TreeEdge& edge = one.trees[0][i];
      RC_ASSERT(tree[i].step == edge.step);
      RC_ASSERT(tree[i].parent == moved(edge.parent, root));
      RC_ASSERT(tree[i].child == moved(edge.child, root));
      RC_ASSERT(topology.channel(tree[i].channel).src_port == topology.channel(edge.channel).src_port);
    }
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
