#include "schedule/trees/direct.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(Direct, IsRightOnEveryTorusAndMesh, ()) {
  const Machine machine = random_machine();
  check_schedule(machine.topology, machine.compile("direct", random_collective(), random_size()));
}

RC_GTEST_PROP(Direct, EverybodySendsAndReceivesOneMessageATimestep, ()) {
  const Machine machine = random_machine(4);
  const int n = machine.topology.num_accelerators();
  const Schedule schedule = machine.compile("direct", Collective::kAllReduce, Bytes{4} * n);
  RC_ASSERT(schedule.steps == 2 * (n - 1));
  std::map<std::pair<NodeId, int>, int> sent;
  std::map<std::pair<NodeId, int>, int> received;
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    RC_ASSERT((++sent[{node, entry.step}] == 1));
    RC_ASSERT((++received[{entry.destination(), entry.step}] == 1));
  });
}

}  // namespace
}  // namespace coppice::schedule
