#include "schedule/trees/hdrm.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <set>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Machine random_bigraph() {
  const int switches = 1 << *rc::gen::inRange(1, 5);
  int per_switch = 1 << *rc::gen::inRange(0, 4);
  while (per_switch > switches / 2) per_switch /= 2;
  return bigraph({per_switch, switches});
}

RC_GTEST_PROP(Hdrm, IsCorrectAndNeverSharesAChannel, ()) {
  const Machine machine = random_bigraph();
  const Collective collective = random_collective();
  RC_ASSERT(
      check_schedule(machine.topology, machine.compile("hdrm", collective, random_size())).disjoint_steps);
  const Bytes large = Bytes{65536} * machine.topology.num_accelerators();
  RC_ASSERT(check_schedule(machine.topology, machine.compile("hdrm", collective, large)).contention_free);
}

RC_GTEST_PROP(Hdrm, PartnersAreInDifferentLayers, ()) {
  const Machine machine = random_bigraph();
  const std::vector<NodeId> accelerators = rank_mapping(machine.topology);
  const auto n = static_cast<std::size_t>(machine.topology.num_accelerators());
  RC_ASSERT(accelerators.size() == n);
  RC_ASSERT((std::set(accelerators.begin(), accelerators.end()).size() == n));
  const auto upper = [&](std::size_t rank) { return accelerators[rank] >= static_cast<NodeId>(n) / 2; };
  for (std::size_t rank = 0; rank < n; ++rank) {
    for (std::size_t bit = 1; bit < n; bit *= 2) RC_ASSERT(upper(rank) != upper(rank ^ bit));
  }
}

// Hand-computed for ranks 0 to 7 on two lower and two upper switches, each of which has two accelerators.
TEST(Hdrm, MapsEightRanksByHand) {
  EXPECT_THAT(rank_mapping(bigraph({2, 4}).topology), testing::ElementsAre(0, 4, 6, 1, 5, 2, 3, 7));
}

TEST(Hdrm, HasOneStepFewerThanAcceleratorsInEachPhase) {
  EXPECT_EQ(bigraph({4, 8}).compile("hdrm", Collective::kAllReduce, 1 << 20).steps, 62);
  EXPECT_EQ(bigraph({4, 16}).compile("hdrm", Collective::kAllGather, 1 << 20).steps, 63);
}

TEST(Hdrm, UsesAllVirtualChannels) {
  for (const topology::Route& route :
       bigraph({4, 8}).compile("hdrm", Collective::kAllReduce, 1 << 20).routes) {
    ASSERT_EQ(route.size(), 4U);
    for (const topology::Hop& hop : route) EXPECT_EQ(hop.vcs, (topology::VcRange{0, 4}));
  }
}

TEST(Hdrm, RejectsNetworksForWhichItIsNotDefined) {
  const auto compile = [](const Machine& machine) { machine.compile("hdrm", Collective::kAllReduce, 4096); };
  EXPECT_THAT(
      [&] {
        compile(torus({4, 4}));
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("needs a bigraph, not torus 4x4")));
  EXPECT_THAT([&] { compile(bigraph({3, 8})); }, ThrowsMessage<UnsupportedError>(HasSubstr("has 3 and 4")));
  EXPECT_THAT([&] { compile(bigraph({4, 12})); }, ThrowsMessage<UnsupportedError>(HasSubstr("has 4 and 6")));
  EXPECT_THAT(
      [&] {
        compile(bigraph({4, 4}));
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("4 accelerators per switch and only 2 switches per layer")));
}

}  // namespace
}  // namespace coppice::schedule
