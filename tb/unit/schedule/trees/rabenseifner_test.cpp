#include "schedule/trees/rabenseifner.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "machine.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(Rabenseifner, IsCorrectOnAnyNumberOfAccelerators, ()) {
  const Machine machine = random_machine();
  check_schedule(machine.topology, machine.compile("rabenseifner", Collective::kAllReduce, random_size()));
}

TEST(Rabenseifner, HalvesAndDoublesPowersOfTwo) {
  const Machine machine = torus({4, 4});
  const CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  const auto time = [&](const char* algorithm) {
    return expected_time(machine.topology, request,
                         make_compiler(algorithm)->compile(machine.topology, request));
  };
  EXPECT_EQ(time("rabenseifner"), time("halving_doubling"));
}

// 6 accelerators are two more than a power of two. In each of the first two pairs, one accelerator therefore
// sends all of its data to the other before the reduction and receives the result afterwards.
TEST(Rabenseifner, FoldsAcceleratorsBeyondAPowerOfTwo) {
  const Machine machine = built(topology::Kind::kSwitch, {6});
  const Schedule schedule = machine.compile("rabenseifner", Collective::kAllReduce, 4096);
  Bytes folded = 0;
  Bytes unfolded = 0;
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    if (node == 1) folded += entry.bytes;
    if (entry.destination() == 1) unfolded += entry.bytes;
  });
  EXPECT_EQ(folded, 4096);
  EXPECT_EQ(unfolded, 4096);
}

TEST(Rabenseifner, RejectsOtherCollectives) {
  EXPECT_THAT(
      [] {
        mesh({2, 2}).compile("rabenseifner", Collective::kAllGather, 64);
      },
      testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr("only all_reduce, not all_gather")));
}

}  // namespace
}  // namespace coppice::schedule
