#include "schedule/trees/two_shot.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(TwoShot, IsCorrectOnEveryTorusAndMesh, ()) {
  const Machine machine = random_machine(4);
  check_schedule(machine.topology, machine.compile("two_shot", random_collective(), random_size()));
}

// two_shot sends the messages of `direct`, but each phase takes a single timestep.
TEST(TwoShot, SendsTheMessagesOfDirectSimultaneously) {
  const Machine machine = fat_tree({4, 2});
  const auto messages = [&](const char* algorithm) {
    std::vector<std::tuple<NodeId, NodeId, Bytes>> sent;
    for_each_entry(machine.compile(algorithm, Collective::kAllReduce, 4096),
                   [&](NodeId node, const TableEntry& entry) {
                     sent.emplace_back(node, entry.destination(), entry.address);
                   });
    std::ranges::sort(sent);
    return sent;
  };
  EXPECT_EQ(messages("two_shot"), messages("direct"));
  EXPECT_EQ(machine.compile("two_shot", Collective::kAllReduce, 4096).steps, 2);
}

// Accelerators send to their receivers in different orders, so that no receiver becomes a bottleneck.
TEST(TwoShot, StartsWithADifferentReceiverAtEveryAccelerator) {
  const Machine machine = built(topology::Kind::kSwitch, {6});
  const Schedule schedule = machine.compile("two_shot", Collective::kAllReduce, 6144);
  for (std::size_t turn = 0; turn < 10; ++turn) {
    std::set<NodeId> receivers;
    for (const NodeTables& node : schedule.nodes) {
      ASSERT_EQ(node.ports.front().size(), 10U);
      receivers.insert(node.ports.front()[turn].destination());
    }
    EXPECT_EQ(receivers.size(), 6U) << turn;
  }
}

// The compiler refuses 2^35 messages before it builds any.
TEST(TwoShot, RejectsWhatDoesNotFitIntoMemory) {
  const std::vector<topology::LinkSpec> links{topology::LinkSpec{{16'000'000'000}, 0}};
  const topology::Topology large =
      topology::make_topology(topology::Kind::kRing, std::vector{1 << 17}, links);
  CompileRequest request;
  request.size = Bytes{4} << 17;
  EXPECT_THROW(TwoShotCompiler().compile(large, request), UnsupportedError);
}

}  // namespace
}  // namespace coppice::schedule
