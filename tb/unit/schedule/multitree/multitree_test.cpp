#include "schedule/multitree/multitree.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"
#include "tree_laws.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(MultiTree, IsCorrectAndNeverSharesAChannel, ()) {
  const Machine machine = random_machine();
  const Schedule schedule = machine.compile("multitree", random_collective(), random_size());
  RC_ASSERT(check_schedule(machine.topology, schedule).contention_free);
}

RC_GTEST_PROP(MultiTree, TreesSpanAndExtendOnlyFromNodesOfEarlierSteps, ()) {
  const Machine machine = random_machine();
  require_tree_laws(machine.topology, build_trees(machine.topology));
}

// A random machine with one bandwidth: a switch network, or a random graph of accelerators and switches.
Machine random_switched_machine() {
  const auto in = [](int low, int high) {
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
  };
  switch (*in(0, 4)) {
    case 0:
      return built(topology::Kind::kSwitch, {*in(1, 12)});
    case 1:
      return fat_tree({*in(2, 3), *in(1, 3)});
    case 2:
      return fat_tree({4, *in(1, 4), *rc::gen::element(1, 2, 4)});
    case 3:
      return bigraph({*in(1, 4), 2 * *in(1, 3)});
    default:
      return random_graph(*in(2, 8), *in(1, 5), *in(0, 8));
  }
}

RC_GTEST_PROP(MultiTree, OnSwitchesIsCorrectAndSharesNoChannelInAStep, ()) {
  const Machine machine = random_switched_machine();
  require_tree_laws(machine.topology, build_trees(machine.topology));
  const Schedule schedule = machine.compile("multitree", random_collective(), random_size());
  RC_ASSERT(check_schedule(machine.topology, schedule).disjoint_steps);
}

// MultiTree's public implementation takes the same numbers of timesteps, which are the minimum.
TEST(MultiTree, ReachesTheFewestTimestepsOnSwitchNetworks) {
  EXPECT_EQ(build_trees(bigraph({4, 8}).topology).steps, 31);
  EXPECT_EQ(build_trees(bigraph({4, 16}).topology).steps, 63);
  EXPECT_EQ(build_trees(fat_tree({8, 2}).topology).steps, 63);
  EXPECT_EQ(build_trees(fat_tree({4, 2}).topology).steps, 15);
  EXPECT_EQ(build_trees(fat_tree({8, 2, 0}).topology).steps, 15);
  EXPECT_EQ(build_trees(built(topology::Kind::kSwitch, {16}).topology).steps, 15);
}

TEST(MultiTree, IsFreeOfContentionOnTheUsualSwitchNetworks) {
  for (const Machine& machine : {bigraph({4, 8}), bigraph({4, 16}), fat_tree({8, 2}), fat_tree({4, 3}),
                                 fat_tree({8, 2, 0}), built(topology::Kind::kSwitch, {16})}) {
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      const Schedule schedule =
          machine.compile("multitree", collective, Bytes{65536} * machine.topology.num_accelerators());
      const CheckReport report = check_schedule(machine.topology, schedule);
      EXPECT_TRUE(report.contention_free) << machine.topology.name() << ' ' << to_string(collective) << ": "
                                          << to_string(machine.topology, report.shared.front());
    }
  }
}

// Two switches with two accelerators each, joined by one link. In the first timestep, every tree adds the
// other accelerator on its root's switch.
TEST(MultiTree, PrefersNodesOnTheSameSwitch) {
  const Trees trees = build_trees(bigraph({2, 2}).topology);
  for (const NodeId root : {0, 1, 2, 3}) {
    const TreeEdge& first = trees.trees[static_cast<std::size_t>(root)].front();
    EXPECT_EQ(first.child, root ^ 1);
    EXPECT_EQ(first.step, 1);
  }
}

// The limits are the numbers of timesteps that MultiTree's public implementation takes.
TEST(MultiTree, NeedsNoMoreTimestepsThanThePublicImplementation) {
  EXPECT_LE(build_trees(torus({4, 4}).topology).steps, 5);
  EXPECT_LE(build_trees(torus({8, 8}).topology).steps, 17);
  EXPECT_LE(build_trees(mesh({4, 4}).topology).steps, 10);
  EXPECT_LE(build_trees(mesh({8, 8}).topology).steps, 34);
}

TEST(MultiTree, AnAllReduceHasBothPhases) {
  const Machine machine = torus({4, 4});
  EXPECT_EQ(machine.compile("multitree", Collective::kAllReduce, 64).steps, 10);
  EXPECT_EQ(machine.compile("multitree", Collective::kReduceScatter, 64).steps, 5);
  EXPECT_EQ(machine.compile("multitree", Collective::kAllGather, 64).steps, 5);
}

TEST(MultiTree, RejectsAcceleratorsItCannotReach) {
  topology::Topology apart(topology::Kind::kMesh, {2}, 2, 0);
  apart.add_channel(0, 1, {1}, 0);
  EXPECT_THAT([&] { build_trees(apart); },
              testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr("cannot reach")));
}

}  // namespace
}  // namespace coppice::schedule
