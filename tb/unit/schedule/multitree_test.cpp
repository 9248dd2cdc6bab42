#include "schedule/multitree.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "machine.h"
#include "schedule/checker.h"
#include "tree_laws.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(MultiTree, IsRightAndNeverSharesAChannel, ()) {
  const Machine machine = random_machine();
  const Schedule schedule = machine.compile("multitree", random_collective(), random_size());
  RC_ASSERT(check_schedule(machine.topology, schedule).contention_free);
}

RC_GTEST_PROP(MultiTree, TreesSpanAndExtendOnlyFromNodesOfEarlierSteps, ()) {
  const Machine machine = random_machine();
  require_tree_laws(machine.topology, build_trees(machine.topology));
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
