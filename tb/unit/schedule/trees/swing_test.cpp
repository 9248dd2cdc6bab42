#include "schedule/trees/swing.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

Machine random_power_of_two() {
  const auto width = [] { return 1 << *rc::gen::inRange(0, 4); };
  const std::vector<int> dims{width(), width()};
  return *rc::gen::arbitrary<bool>() ? torus(dims) : mesh(dims);
}

RC_GTEST_PROP(Swing, IsCorrectOnPowersOfTwo, ()) {
  const Machine machine = random_power_of_two();
  check_schedule(machine.topology, machine.compile("swing", random_collective(), random_size()));
}

RC_GTEST_PROP(Bine, IsCorrectOnPowersOfTwo, ()) {
  const Machine machine = random_power_of_two();
  check_schedule(machine.topology, machine.compile("bine", random_collective(), random_size()));
}

TEST(Swing, IsCorrectInThreeDimensionsAndBehindSwitches) {
  for (const Machine& machine :
       {torus({4, 2, 8}), fat_tree({4, 2}), built(topology::Kind::kRing, {8}), torus({1})}) {
    check_schedule(machine.topology, machine.compile("swing", Collective::kAllReduce, 1 << 16));
  }
}

// Fig. 2 of the paper: the destinations of accelerator 0 in a ring of 16, with the number of messages to
// each. A reduce-scatter sends half of the remaining data per step, to distances 1, -1, 3 and -5. Its mirror
// image sends the same amounts in the opposite directions.
TEST(Swing, ExchangesWithRanksAtItsDistances) {
  const Machine machine = torus({16});
  const Schedule schedule = machine.compile("swing", Collective::kReduceScatter, 16 * 2 * 64);
  std::map<NodeId, int> messages;
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    if (node == 0) ++messages[entry.destination()];
  });
  EXPECT_THAT(messages,
              testing::ElementsAre(testing::Pair(1, 8 + 4), testing::Pair(3, 2), testing::Pair(5, 1),
                                   testing::Pair(11, 1), testing::Pair(13, 2), testing::Pair(15, 8 + 4)));
}

// In a torus, the exchanges of the first step use all directions.
TEST(Swing, StartsOnAllPortsOfATorus) {
  const Machine machine = torus({4, 4});
  const Schedule schedule = machine.compile("swing", Collective::kReduceScatter, 16 * 4 * 64);
  std::set<NodeId> first;
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    if (node == 0 && entry.step == 1) first.insert(entry.destination());
  });
  EXPECT_EQ(first.size(), 4U);
}

TEST(Swing, RejectsOtherNumbersOfAccelerators) {
  EXPECT_THAT(
      [] {
        torus({3, 4}).compile("swing", Collective::kAllReduce, 64);
      },
      testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr("swing exchanges data between pairs")));
  EXPECT_THAT(
      [] {
        torus({3, 4}).compile("bine", Collective::kAllReduce, 64);
      },
      testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr("torus 3x4 has 12")));
}

}  // namespace
}  // namespace coppice::schedule
