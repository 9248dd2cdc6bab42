#include "schedule/trees/one_shot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using ::testing::HasSubstr;

RC_GTEST_PROP(OneShot, IsCorrectOnEveryTorusAndMesh, ()) {
  const Machine machine = random_machine(4);
  const Bytes size = random_size();
  const Schedule schedule = machine.compile("one_shot", Collective::kAllReduce, size);
  check_schedule(machine.topology, schedule);
  RC_ASSERT(schedule.data_size() == size);
  RC_ASSERT(schedule.requested() == Collective::kAllReduce);
  RC_ASSERT(collective_name(schedule) == "all_reduce");
}

// In the only step, every accelerator sends all of its data to every other accelerator.
TEST(OneShot, SendsAllDataToAllOthersSimultaneously) {
  const Machine machine = built(topology::Kind::kSwitch, {6});
  const Schedule schedule = machine.compile("one_shot", Collective::kAllReduce, 6144);
  EXPECT_EQ(schedule.steps, 1);
  std::map<std::pair<NodeId, NodeId>, Bytes> sent;
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    EXPECT_EQ(entry.op, Op::kReduce);
    EXPECT_EQ(entry.dependencies, 0);
    sent[{node, entry.destination()}] += entry.bytes;
  });
  EXPECT_EQ(sent.size(), 30U);
  for (const auto& [ends, bytes] : sent) EXPECT_EQ(bytes, 6144) << ends.first << "->" << ends.second;
}

TEST(OneShot, IsOnlyForAllReduces) {
  const Machine machine = built(topology::Kind::kSwitch, {4});
  for (const Collective collective : {Collective::kAllGather, Collective::kReduceScatter}) {
    EXPECT_THROW(machine.compile("one_shot", collective, 4096), UnsupportedError);
  }
}

// The checker must notice if an accelerator does not obtain the sum of all data.
TEST(OneShot, IsRejectedIfAnAcceleratorLacksItsCopy) {
  const Machine machine = built(topology::Kind::kSwitch, {4});
  const auto refused = [&](auto change) {
    Schedule schedule = machine.compile("one_shot", Collective::kAllReduce, 4096);
    schedule.shares = share_out(schedule);
    change(schedule);
    try {
      check_schedule(machine.topology, schedule);
    } catch (const ScheduleError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(refused([](Schedule&) {}), "no error");
  EXPECT_THAT(refused([](Schedule& schedule) { schedule.copies = 2; }),
              HasSubstr("reduces 2 copies of the data, but there are 4 accelerators"));
  EXPECT_THAT(refused([](Schedule& schedule) { schedule.collective = Collective::kAllGather; }),
              HasSubstr("its collective is all_gather, not reduce_scatter"));
  EXPECT_THAT(refused([](Schedule& schedule) { schedule.shares[1].owner = 0; }),
              HasSubstr("accelerator 0 owns 8192 of 16384 bytes"));
}

}  // namespace
}  // namespace coppice::schedule
