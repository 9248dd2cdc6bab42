#include "schedule/trees/scheduled_trees.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "machine.h"
#include "schedule/multitree/multitree.h"
#include "schedule/proof/checker.h"

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

RC_GTEST_PROP(ScheduleTrees, PiecesStayInsideTheirChunk, ()) {
  const Machine machine = random_machine(4);
  CompileRequest request = machine.request(random_collective(), random_size());
  request.chunks = *rc::gen::inRange(1, 5);
  const Schedule schedule = make_compiler("multitree_optimal")->compile(machine.topology, request);
  const auto chunks = split_into_chunks(request.size, 4, machine.topology.num_accelerators());
  for_each_entry(schedule, [&](NodeId, const TableEntry& entry) {
    const Chunk& chunk = chunks[static_cast<std::size_t>(entry.flow / request.chunks)];
    RC_ASSERT(entry.address >= chunk.address);
    RC_ASSERT(entry.address + entry.bytes <= chunk.address + chunk.bytes);
  });
  check_schedule(machine.topology, schedule);
}

TEST(LeastSteps, IsSetByTheFewestChannelsInOrTheLongestPath) {
  EXPECT_EQ(least_steps(torus({4, 4}).topology, 1), 4);
  EXPECT_EQ(least_steps(torus({8, 8}).topology, 1), 16);
  EXPECT_EQ(least_steps(mesh({4, 4}).topology, 1), 8);
  EXPECT_EQ(least_steps(mesh({8, 8}).topology, 1), 32);
  EXPECT_EQ(least_steps(torus({2, 4}).topology, 1), 3);
  EXPECT_EQ(least_steps(torus({4, 4}).topology, 4), 15);
  EXPECT_EQ(least_steps(torus({1}).topology, 1), 0);
}

TEST(LeastSteps, ReportsUnconnectedAccelerators) {
  topology::Topology apart(topology::Kind::kMesh, {2}, 2, 0);
  apart.add_channel(0, 1, {1}, 0);
  EXPECT_THAT([&] { least_steps(apart, 1); }, testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr(
                                                  "accelerator 1 cannot reach accelerator 0")));
}

TEST(DepthOf, CountsEdgesFromTheRoot) {
  const Trees chain{.steps = 3, .pieces = 1, .trees = {{{0, 1, 0, 1}, {1, 2, 0, 3}}, {}, {}}};
  EXPECT_EQ(depth_of(chain), 2);
}

// Accelerator 1 receives the data of tree 0 in step 1 and forwards it in step 2, and vice versa in the
// reduction. Each of these messages waits for the previous step.
TEST(WaitsOf, CountsDataThatIsForwardedOnArrival) {
  Trees line{.steps = 2,
             .pieces = 1,
             .trees = {{{.parent = 0, .child = 1, .channel = 0, .step = 1},
                        {.parent = 1, .child = 2, .channel = 1, .step = 2}}}};
  EXPECT_EQ(waits_of(line), 2);
  line.steps = 3;
  line.trees[0][1].step = 3;
  EXPECT_EQ(waits_of(line), 0);
}

}  // namespace
}  // namespace coppice::schedule
