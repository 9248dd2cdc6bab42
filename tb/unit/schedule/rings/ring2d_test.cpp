#include "schedule/rings/ring2d.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

RC_GTEST_PROP(Ring2d, IsCorrectAndSharesNothing, ()) {
  const int x = *rc::gen::inRange(2, 7);
  const int y = *rc::gen::inRange(2, 7);
  const Machine machine = *rc::gen::arbitrary<bool>() ? torus({x, y}) : mesh({x, 1, y});
  const Schedule schedule = machine.compile("ring2d", Collective::kAllReduce, random_size());
  RC_ASSERT(schedule.ordered_by_lockstep);
  RC_ASSERT(check_schedule(machine.topology, schedule).contention_free);
}

TEST(Ring2d, MovesNearlyTwiceTheDataOverAllChannelsOfATorus) {
  const Machine machine = torus({8, 8});
  const Bytes size = 4 * Bytes{8 * 8 * 64};
  const Schedule schedule = machine.compile("ring2d", Collective::kAllReduce, size);
  EXPECT_EQ(schedule.steps, 2 * 2 * 7);
  std::vector<Bytes> sent(4, 0);
  for (std::size_t port = 0; port < 4; ++port) {
    for (const TableEntry& entry : schedule.nodes[9].ports[port]) sent[port] += entry.bytes;
  }
  EXPECT_THAT(sent, testing::Each(size * 7 / 8));
}

TEST(Ring2d, DependsOnLockstep) {
  const Machine machine = torus({4, 4});
  Schedule schedule = machine.compile("ring2d", Collective::kAllReduce, 1024);
  schedule.ordered_by_lockstep = false;
  EXPECT_THAT([&] { check_schedule(machine.topology, schedule); },
              ThrowsMessage<ScheduleError>(HasSubstr("may arrive before or after this entry")));
}

TEST(Ring2d, RejectsOtherShapesAndCollectives) {
  const auto compile = [](const Machine& machine, Collective collective) {
    return machine.compile("ring2d", collective, 64);
  };
  EXPECT_THAT(
      [&] {
        compile(torus({4, 4, 4}), Collective::kAllReduce);
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("two dimensions wider than 1, not torus 4x4x4")));
  EXPECT_THAT([&] { compile(mesh({4}), Collective::kAllReduce); },
              ThrowsMessage<UnsupportedError>(HasSubstr("not mesh 4")));
  EXPECT_THAT(
      [&] {
        compile(torus({4, 4}), Collective::kReduceScatter);
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("only all_reduce")));
}

// With unequal links, messages of rows and columns would not arrive in the order of timesteps on which ring2d
// relies.
TEST(Ring2d, RejectsLinksThatDiffer) {
  const auto refused = [](topology::LinkSpec second) {
    const topology::LinkSpec first{{16'000'000'000}, 150 * kFemtosecondsPerNanosecond};
    const Machine machine = make_machine(topology::make_mesh(std::vector{4, 3}, std::vector{first, second}));
    EXPECT_THAT([&] { machine.compile("ring2d", Collective::kAllReduce, 2496); },
                ThrowsMessage<UnsupportedError>(HasSubstr("links of equal bandwidth and latency")));
  };
  refused({{2'000'000'000}, 150 * kFemtosecondsPerNanosecond});
  refused({{16'000'000'000}, 1 * kFemtosecondsPerNanosecond});
}

}  // namespace
}  // namespace coppice::schedule
