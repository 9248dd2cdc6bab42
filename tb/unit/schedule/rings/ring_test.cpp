#include "schedule/rings/ring.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "machine.h"
#include "schedule/proof/checker.h"
#include "schedule/rings/ring_order.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(Ring, IsCorrectOnEveryTorusAndMesh, ()) {
  const Machine machine = random_machine();
  const Collective collective = random_collective();
  const Bytes size = random_size();
  const Schedule schedule = machine.compile("ring", collective, size);
  const CheckReport report = check_schedule(machine.topology, schedule);
  RC_CLASSIFY(!ring_order(machine.topology).closed, "closing hop routed");
  if (ring_order(machine.topology).closed) RC_ASSERT(report.contention_free);
}

RC_GTEST_PROP(Ring, HasOneStepFewerThanAcceleratorsInEachPhase, ()) {
  const Machine machine = random_machine();
  const Collective collective = random_collective();
  const int n = machine.topology.num_accelerators();
  const Schedule schedule = machine.compile("ring", collective, Bytes{4} * n);
  RC_ASSERT(schedule.steps == (collective == Collective::kAllReduce ? 2 : 1) * (n - 1));
}

// On networks whose `dims` do not describe a grid, the ring must still include every accelerator.
TEST(Ring, IsCorrectOnNetworksThatAreNotGrids) {
  for (const Machine& machine :
       {fat_tree({4, 2}), fat_tree({2, 3}), fat_tree({8, 2, 0}), fat_tree({4, 3, 2}), bigraph({4, 8}),
        built(topology::Kind::kSwitch, {6}), built(topology::Kind::kRing, {5}),
        built(topology::Kind::kFullyConnected, {6})}) {
    const Schedule schedule = machine.compile("ring", Collective::kAllReduce, 1 << 20);
    EXPECT_TRUE(check_schedule(machine.topology, schedule).contention_free) << machine.topology.name();
    EXPECT_EQ(schedule.steps, 2 * (machine.topology.num_accelerators() - 1)) << machine.topology.name();
  }
}

TEST(Ring, OneAcceleratorSendsNothing) {
  const Machine machine = torus({1});
  const Schedule schedule = machine.compile("ring", Collective::kAllReduce, 64);
  EXPECT_EQ(schedule.steps, 0);
  EXPECT_TRUE(schedule.nodes[0].ports[0].empty());
  EXPECT_TRUE(check_schedule(machine.topology, schedule).contention_free);
}

// On the DGX-1, six rings of 8 channels use all 48 channels in every step.
TEST(Ring, UsesEveryLinkOfADgx1) {
  const Machine machine = dgx1();
  for (const Collective collective :
       {Collective::kReduceScatter, Collective::kAllGather, Collective::kAllReduce}) {
    const Schedule schedule = machine.compile("ring", collective, 8 * 6 * 40);
    EXPECT_TRUE(check_schedule(machine.topology, schedule).contention_free);
    EXPECT_EQ(schedule.steps, collective == Collective::kAllReduce ? 14 : 7);
    int messages = 0;
    for_each_entry(schedule, [&](NodeId, const TableEntry& entry) {
      ++messages;
      EXPECT_EQ(entry.bytes, 40);
    });
    EXPECT_EQ(messages, 48 * schedule.steps);
  }
}

RC_GTEST_PROP(Ring, IsCorrectOnADgx1ForAnySize, ()) {
  const Machine machine = dgx1();
  check_schedule(machine.topology, machine.compile("ring", random_collective(), random_size()));
}

TEST(Ring, AChunkPassesOneAdditionPerHop) {
  const Machine machine = torus({4, 4});
  const CheckReport report =
      check_schedule(machine.topology, machine.compile("ring", Collective::kAllReduce, 64));
  EXPECT_THAT(report.additions, testing::Each(15));
}

}  // namespace
}  // namespace coppice::schedule
