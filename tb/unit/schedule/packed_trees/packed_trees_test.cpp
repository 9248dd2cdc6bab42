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
    if (entry.bytes == longest) EXPECT_EQ(entry.address, entry.flow * longest);
  });
}

}  // namespace
}  // namespace coppice::schedule
