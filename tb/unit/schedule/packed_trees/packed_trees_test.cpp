#include "schedule/packed_trees/packed_trees.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "machine.h"
#include "random_execution.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

Schedule compile(const Machine& machine, CompileRequest request) {
  return PackedTreesCompiler().compile(machine.topology, request);
}

CompileRequest timed(CompileRequest request) {
  request.timing = {.flit = 16,
                    .router = 5'000'000,
                    .interface_time = 5'000'000,
                    .cycle = 1'000'000,
                    .memory = 4'000'000,
                    .reduction = 4'000'000};
  return request;
}

RC_GTEST_PROP(PackedTrees, IsRightUnderAnyTiming, ()) {
  const Machine machine = random_machine(3);
  CompileRequest request = machine.request(Collective::kAllReduce, random_size());
  request.chunks = *rc::gen::inRange(0, 4);
  RC_PRE(request.chunks <= request.size / request.element || request.chunks == 1);
  if (*rc::gen::arbitrary<bool>()) request = timed(request);
  request.ni_ports = *rc::gen::inRange(1, machine.ni_ports + 1);
  const Schedule schedule = compile(machine, request);
  const CheckReport report = check_schedule(machine.topology, schedule);
  if (request.ni_ports == machine.ni_ports) RC_ASSERT(report.contention_free);
  RC_ASSERT(RandomExecution(schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

RC_GTEST_PROP(PackedTrees, DoesEveryCollectiveOverSwitches, ()) {
  const Machine machine =
      random_graph(*rc::gen::inRange(2, 7), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 6));
  const int n = machine.topology.num_accelerators();
  CompileRequest request = machine.request(random_collective(), 4 * *rc::gen::inRange<Bytes>(n, 300));
  if (*rc::gen::arbitrary<bool>()) request = timed(request);
  if (request.collective != Collective::kAllReduce && *rc::gen::arbitrary<bool>()) {
    request.root = *rc::gen::inRange(0, n);
  }
  request.chunks = *rc::gen::inRange(0, 2);
  const Schedule schedule = compile(machine, request);
  check_schedule(machine.topology, schedule);
  RC_ASSERT(RandomExecution(schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

// Timesteps keep messages apart that go through one switch.
TEST(PackedTrees, IsFreeOfContentionBehindASwitch) {
  const Machine machine = built(topology::Kind::kSwitch, {8});
  for (const Bytes size : {64 * 1024, 1024 * 1024}) {
    CompileRequest request = timed(machine.request(Collective::kAllReduce, size));
    request.chunks = kAutomaticChunks;
    EXPECT_TRUE(check_schedule(machine.topology, compile(machine, request)).contention_free) << size;
  }
}

TEST(PackedTrees, NeedsNoMessagesForOneAccelerator) {
  const Machine machine = mesh({1});
  const Schedule schedule = compile(machine, machine.request(Collective::kAllReduce, 64));
  check_schedule(machine.topology, schedule);
  for_each_entry(schedule, [](NodeId, const TableEntry&) { FAIL(); });
}

// Pieces but for the last repeat at one distance, and their flows in turn.
TEST(PackedTrees, CutsDataIntoPiecesOfWholeFlitsAtOneDistance) {
  const Machine machine = mesh({4, 4});
  CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  request.chunks = kAutomaticChunks;
  const Schedule schedule = compile(machine, request);
  Bytes longest = 0;
  for_each_entry(schedule,
                 [&](NodeId, const TableEntry& entry) { longest = std::max(longest, entry.bytes); });
  EXPECT_EQ(longest % 16, 0);
  for_each_entry(schedule, [&](NodeId, const TableEntry& entry) {
    if (entry.bytes == longest) {
      EXPECT_EQ(entry.address, entry.flow * longest);
    }
  });
}

}  // namespace
}  // namespace coppice::schedule
