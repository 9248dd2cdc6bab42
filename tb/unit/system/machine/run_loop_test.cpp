#include "system/machine/run_loop.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A network without traffic, whose state is set by the test.
class QuietFabric final : public fabric::Fabric {
 public:
  void connect(topology::NodeId, int, fabric::Injector&, fabric::Ejector&) override {}
  void wake(topology::NodeId, int, Cycles) override {}
  void add_observer(fabric::FabricObserver&) override {}
  const fabric::FabricStatistics& statistics() const override { return statistics_; }
  Cycles last_movement() const override { return moved_at; }
  Femtoseconds period() const override { return kFemtosecondsPerNanosecond; }
  bool idle() const override { return is_idle; }
  void check_conservation() const override {}
  std::string describe_packets(int) const override { return {}; }

  Cycles moved_at = 0;
  bool is_idle = true;

 private:
  fabric::FabricStatistics statistics_;
};

// Runs work that completes in cycle `done_at`, in slices of at most 100 cycles.
class RunLoopTest : public ::testing::Test {
 protected:
  static constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

  RunState state() {
    return {.run_to =
                [this](Cycles cycle) {
                  now = cycle;
                  ends.push_back(cycle);
                },
            .complete = [this] { return now >= done_at; },
            .part = [this] { return static_cast<double>(now) / static_cast<double>(done_at); },
            .how_far = [] { return std::string("3 of 5 messages have arrived"); },
            .stuck = [this](Cycles cycle) { return cycle >= stuck_at; },
            .who = [](Cycles) { return std::string("node 4 waits for node 7"); },
            .between = [this] { ++looks; }};
  }
  // Runs to the end, in slices that end at the cycles in `slices` and are at most 100 cycles long.
  Cycles run_until(const std::vector<Cycles>& slices, RunState state, Cycles max_cycles = 0) {
    state.next_look = [slices](Cycles cycle) {
      return std::min(cycle + 100, *std::ranges::upper_bound(slices, cycle));
    };
    state.ended = [this, slices] { return now >= slices.back(); };
    return run_to_end(network, state, max_cycles, &stop, progress);
  }

  QuietFabric network;
  Cycles done_at = 250;
  Cycles stuck_at = kNever;
  Cycles now = 0;
  std::vector<Cycles> ends;  // the end of each slice
  int looks = 0;
  std::atomic<bool> stop{false};
  std::vector<double> parts;
  std::function<void(double)> progress = [this](double part) { parts.push_back(part); };
};

TEST_F(RunLoopTest, ChecksInExactCycles) {
  EXPECT_EQ(run_until({250, 310}, state()), 310);
  EXPECT_THAT(ends, ElementsAre(100, 200, 250, 310));
  EXPECT_EQ(looks, 4);
  EXPECT_THAT(parts, ElementsAre(0.4, 0.8, 1.0, 1.24));
}

TEST_F(RunLoopTest, EndsWhenEverythingIsDoneAndTheNetworkIsIdle) {
  const RunState work = state();
  EXPECT_EQ(run_to_end(network, work, 0, nullptr, nullptr), 10'000);
  EXPECT_THAT(ends, ElementsAre(10'000));

  // The network still has credits in flight until the end of the third slice.
  ends.clear();
  now = 0;
  network.is_idle = false;
  RunState slow = work;
  slow.run_to = [this](Cycles cycle) {
    now = cycle;
    ends.push_back(cycle);
    network.is_idle = ends.size() == 3;
  };
  EXPECT_EQ(run_to_end(network, slow, 0, nullptr, nullptr), 30'000);
}

TEST_F(RunLoopTest, ReportsStuckNodesAfterTheFirstSlice) {
  stuck_at = 0;  // reported as stuck from the first slice on
  network.moved_at = 73;
  EXPECT_THAT([&] { run_until({250}, state()); },
              ThrowsMessage<ModelError>(AllOf(HasSubstr("deadlock at cycle 73: 3 of 5 messages have arrived"),
                                              HasSubstr("node 4 waits for node 7"))));
  EXPECT_THAT(ends, ElementsAre(100));
}

TEST_F(RunLoopTest, StopsAtTheCycleLimit) {
  EXPECT_THAT([&] { run_until({250}, state(), 150); },
              ThrowsMessage<ModelError>(
                  HasSubstr("cycle limit reached at cycle 150 (max_cycles): 3 of 5 messages have arrived")));
  EXPECT_THAT(ends, ElementsAre(100, 151));
}

TEST_F(RunLoopTest, AcceptsALimitThatIsJustEnough) {
  done_at = 150;
  EXPECT_EQ(run_until({151}, state(), 150), 151);
  // After a measurement, the run continues until the network is empty, even beyond the limit.
  now = 0;
  EXPECT_EQ(run_until({151, 400}, state(), 150), 400);
}

TEST_F(RunLoopTest, IsInterruptedBetweenSlices) {
  RunState work = state();
  work.run_to = [this](Cycles cycle) {
    now = cycle;
    if (cycle == 200) stop = true;
  };
  EXPECT_THAT([&] { run_until({1000}, work); },
              ThrowsMessage<Interrupted>(HasSubstr("interrupted at cycle 200")));
}

}  // namespace
}  // namespace coppice::system
