#include "schedule/multitree.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/error.h"
#include "machine.h"
#include "schedule/checker.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(MultiTree, IsRightAndNeverSharesAChannel, ()) {
  const Machine machine = random_machine();
  const Schedule schedule = machine.compile("multitree", random_collective(), random_size());
  RC_ASSERT(check_schedule(machine.topology, schedule).contention_free);
}

RC_GTEST_PROP(MultiTree, TreesSpanAndExtendOnlyFromNodesOfEarlierSteps, ()) {
  const Machine machine = random_machine();
  const Trees trees = build_trees(machine.topology);
  const auto n = static_cast<std::size_t>(machine.topology.num_accelerators());
  RC_ASSERT(trees.trees.size() == n);
  std::set<std::pair<topology::ChannelId, int>> used;
  for (std::size_t root = 0; root < n; ++root) {
    std::vector<int> joined(n, -1);
    joined[root] = 0;
    for (const TreeEdge& edge : trees.trees[root]) {
      const topology::Channel& channel = machine.topology.channel(edge.channel);
      RC_ASSERT(channel.src == edge.parent);
      RC_ASSERT(channel.dst == edge.child);
      int& parent = joined[static_cast<std::size_t>(edge.parent)];
      RC_ASSERT(parent >= 0);
      RC_ASSERT(parent < edge.step);
      RC_ASSERT(std::exchange(joined[static_cast<std::size_t>(edge.child)], edge.step) == -1);
      RC_ASSERT(used.insert({edge.channel, edge.step}).second);
    }
    RC_ASSERT(trees.trees[root].size() == n - 1);
  }
  RC_ASSERT(trees.steps >= ingress_bound(machine.topology));
}

// The public implementation's timesteps.
TEST(MultiTree, NeedsNoMoreTimestepsThanThePublicImplementation) {
  EXPECT_LE(build_trees(torus({4, 4}).topology).steps, 5);
  EXPECT_LE(build_trees(torus({8, 8}).topology).steps, 17);
  EXPECT_LE(build_trees(mesh({4, 4}).topology).steps, 10);
  EXPECT_LE(build_trees(mesh({8, 8}).topology).steps, 34);
}

TEST(MultiTree, AnAllReduceIsBothPhases) {
  const Machine machine = torus({4, 4});
  EXPECT_EQ(machine.compile("multitree", Collective::kAllReduce, 64).steps, 10);
  EXPECT_EQ(machine.compile("multitree", Collective::kReduceScatter, 64).steps, 5);
  EXPECT_EQ(machine.compile("multitree", Collective::kAllGather, 64).steps, 5);
}

TEST(MultiTree, RefusesAcceleratorsItCannotReach) {
  topology::Topology apart(topology::Kind::kMesh, {2}, 2, 0);
  apart.add_channel(0, 1, {1}, 0);
  EXPECT_THAT([&] { build_trees(apart); },
              testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr("cannot reach")));
}

}  // namespace
}  // namespace coppice::schedule
