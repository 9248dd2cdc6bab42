#include "schedule/trees.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "machine.h"
#include "schedule/multitree.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(ScheduleTrees, TheReductionIsTheGatherReversedInTimeAndDirection, ()) {
  const Machine machine = random_machine(4);
  const int n = machine.topology.num_accelerators();
  const Schedule schedule = machine.compile("multitree", Collective::kAllReduce, Bytes{4} * n);
  std::vector<std::array<int, 4>> reduces;
  std::vector<std::array<int, 4>> gathers;
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    if (entry.op == Op::kReduce) {
      reduces.push_back({entry.flow, node, entry.parent, schedule.steps + 1 - entry.step});
    } else {
      gathers.push_back({entry.flow, entry.destination(), node, entry.step});
    }
  });
  std::ranges::sort(reduces);
  std::ranges::sort(gathers);
  RC_ASSERT(reduces == gathers);
}

TEST(IngressBound, IsSetByTheAcceleratorWithTheFewestWaysIn) {
  EXPECT_EQ(ingress_bound(torus({4, 4}).topology), 4);
  EXPECT_EQ(ingress_bound(torus({8, 8}).topology), 16);
  EXPECT_EQ(ingress_bound(mesh({4, 4}).topology), 8);
  EXPECT_EQ(ingress_bound(mesh({8, 8}).topology), 32);
  EXPECT_EQ(ingress_bound(torus({1}).topology), 0);
  const topology::Topology apart(topology::Kind::kMesh, {2}, 2, 0);
  EXPECT_THAT([&] { ingress_bound(apart); },
              testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr("accelerator 0")));
}

}  // namespace
}  // namespace coppice::schedule
