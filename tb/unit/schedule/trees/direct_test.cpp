#include "schedule/trees/direct.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <tuple>

#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(Direct, IsCorrectOnEveryTorusAndMesh, ()) {
  const Machine machine = random_machine();
  check_schedule(machine.topology, machine.compile("direct", random_collective(), random_size()));
}

RC_GTEST_PROP(Direct, EveryAcceleratorSendsAndReceivesOneMessagePerTimestep, ()) {
  const Machine machine = random_machine(4);
  const int n = machine.topology.num_accelerators();
  const Schedule schedule = machine.compile("direct", Collective::kAllReduce, Bytes{4} * n);
  // Fully connected networks are excluded, because their accelerators send several messages simultaneously.
  RC_PRE(static_cast<int>(machine.topology.out_channels(0).size()) < n - 1 || n <= 2);
  RC_ASSERT(schedule.steps == 2 * (n - 1));
  std::map<std::pair<NodeId, int>, int> sent;
  std::map<std::pair<NodeId, int>, int> received;
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    RC_ASSERT((++sent[{node, entry.step}] == 1));
    RC_ASSERT((++received[{entry.destination(), entry.step}] == 1));
  });
}

// In a fully connected network, an accelerator uses all channels in each step, or one per port if it has
// fewer ports than channels.
TEST(Direct, UsesAllChannelsOfAFullyConnectedNetworkAtOnce) {
  Machine machine = built(topology::Kind::kFullyConnected, {8});
  EXPECT_EQ(machine.compile("direct", Collective::kAllReduce, 1024).steps, 2);
  EXPECT_EQ(machine.compile("direct", Collective::kAllGather, 1024).steps, 1);
  machine.ni_ports = 3;
  const Schedule schedule = machine.compile("direct", Collective::kAllReduce, 1024);
  EXPECT_EQ(schedule.steps, 2 * 3);
  std::map<std::tuple<NodeId, std::int32_t, int>, int>
      sent;  // numbers of messages, keyed by (node, route, step)
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    EXPECT_EQ((++sent[{node, entry.route, entry.step}]), 1);
  });
  check_schedule(machine.topology, schedule);
  EXPECT_EQ(built(topology::Kind::kSwitch, {8}).compile("direct", Collective::kAllReduce, 1024).steps, 2 * 7);
}

}  // namespace
}  // namespace coppice::schedule
