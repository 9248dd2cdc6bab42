#include "schedule/trees/bucket.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(Bucket, IsCorrectOnEveryTorus, ()) {
  const auto width = [] { return *rc::gen::inRange(1, 6); };
  const Machine machine = torus({width(), width(), width()});
  check_schedule(machine.topology, machine.compile("bucket", random_collective(), random_size()));
}

// If all dimensions are equal, all channels carry the same amount of data and no messages contend.
TEST(Bucket, FillsAllChannelsOfACube) {
  for (const std::vector<int>& dims : {std::vector{5}, {4, 4}, {3, 3, 3}}) {
    const Machine machine = torus(dims);
    const int n = machine.topology.num_accelerators();
    const auto ports = static_cast<Bytes>(machine.ni_ports);
    const Schedule schedule = machine.compile("bucket", Collective::kAllReduce, ports * n * 64);
    EXPECT_TRUE(check_schedule(machine.topology, schedule).contention_free) << machine.topology.name();
    EXPECT_EQ(schedule.steps, 2 * (n - 1));
    std::map<std::pair<NodeId, std::int32_t>, int> sent;
    for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) { ++sent[{node, entry.route}]; });
    EXPECT_EQ(sent.size(), static_cast<std::size_t>(n) * static_cast<std::size_t>(machine.ni_ports));
    for (const auto& [channel, messages] : sent) EXPECT_EQ(messages, 2 * (n - 1));
  }
}

TEST(Bucket, RejectsNetworksWithoutRings) {
  EXPECT_THAT(
      [] {
        mesh({3, 4}).compile("bucket", Collective::kAllReduce, 64);
      },
      testing::ThrowsMessage<UnsupportedError>(
          testing::HasSubstr("needs the rings of a torus, which mesh 3x4 does not have")));
}

}  // namespace
}  // namespace coppice::schedule
