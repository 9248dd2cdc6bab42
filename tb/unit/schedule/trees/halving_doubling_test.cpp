#include "schedule/trees/halving_doubling.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <map>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

Machine random_power_of_two() {
  const int x = 1 << *rc::gen::inRange(0, 4);
  const int y = 1 << *rc::gen::inRange(0, 4);
  return *rc::gen::arbitrary<bool>() ? torus({x, y}) : mesh({x, y});
}

RC_GTEST_PROP(HalvingDoubling, IsCorrectOnPowersOfTwo, ()) {
  const Machine machine = random_power_of_two();
  check_schedule(machine.topology, machine.compile("halving_doubling", random_collective(), random_size()));
}

RC_GTEST_PROP(HalvingDoubling, LevelsHalveAndPartnersDifferInOneBit, ()) {
  const Machine machine = random_power_of_two();
  const int n = machine.topology.num_accelerators();
  const Schedule schedule = machine.compile("halving_doubling", Collective::kReduceScatter, Bytes{4} * n);
  RC_ASSERT(schedule.steps == n - 1);
  std::map<std::pair<NodeId, unsigned>, int>
      sent;  // numbers of chunks, keyed by node and the bit in which its partner differs
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    const auto bit = static_cast<unsigned>(node ^ entry.destination());
    RC_ASSERT(std::has_single_bit(bit));
    ++sent[{node, bit}];
    // The levels follow one another, beginning with the longest distance.
    const int before = n - 2 * static_cast<int>(bit);
    RC_ASSERT(entry.step > before);
    RC_ASSERT(entry.step <= before + static_cast<int>(bit));
  });
  for (const auto& [level, chunks] : sent) RC_ASSERT(chunks == static_cast<int>(level.second));
}

// If contention makes the last level's sum arrive first, the sums of the previous levels are added to it one
// by one. The sum sent on level k has a(k) = a(k - 1) + k - 1 additions, so 0, 1, 3 and 6. The total is 4 +
// a(4) = 10.
TEST(HalvingDoubling, BoundsTheAdditionsOfAChunkInAnyOrder) {
  const Machine machine = torus({4, 4});
  const Schedule schedule = machine.compile("halving_doubling", Collective::kAllReduce, 64);
  EXPECT_THAT(check_schedule(machine.topology, schedule).additions, testing::Each(10));
}

TEST(HalvingDoubling, RejectsOtherNumbersOfAccelerators) {
  EXPECT_THAT(
      [] {
        torus({3, 4}).compile("halving_doubling", Collective::kAllReduce, 64);
      },
      testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr("torus 3x4 has 12")));
}

}  // namespace
}  // namespace coppice::schedule
