#include "system/output/dimension_activity.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "machine.h"
#include "topology/networks/hierarchy.h"

namespace coppice::system {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(TimeWindows, DivideTimeAtTheirBounds) {
  TimeWindows windows(2, 100);
  windows.add(0, 50, 250, 200);
  windows.add(0, 120, 130, 10);
  windows.add(1, 300, 310, 10);
  EXPECT_EQ(windows.window(), 100);
  EXPECT_THAT(windows.parts(0, 1, 310), ElementsAre(0.5, 1.1, 0.5, 0));
  // The last window ends with the run, after only 10 time units. One of two channels is busy for all of them.
  EXPECT_THAT(windows.parts(1, 2, 310), ElementsAre(0, 0, 0, 0.5));
}

TEST(TimeWindows, GrowWithTime) {
  TimeWindows windows(1, 1);
  windows.add(0, 0, 1, 1);
  windows.add(0, 2, 4, 2);
  windows.add(0, 250, 253, 3);
  EXPECT_EQ(windows.window(), 4);
  const auto parts = windows.parts(0, 1, 254);
  ASSERT_EQ(parts.size(), 64U);
  EXPECT_EQ(parts[0], 0.75);
  EXPECT_EQ(parts[62], 0.5);  // units 250 and 251 of a window of four
  EXPECT_EQ(parts[63], 0.5);  // unit 252; the last window is only two units long
}

// The number of windows stays small even if the run continues long after its last message.
TEST(TimeWindows, AreFewForAnyEnd) {
  TimeWindows windows(1, 1);
  windows.add(0, 0, 2, 2);
  const Femtoseconds end = 1'000'000'000'000'000'000;
  const TimeWindows whole = windows.until(end);
  EXPECT_EQ(whole.window(), Femtoseconds{1} << 54);
  EXPECT_EQ(whole.parts(0, 1, end).size(), 56U);
  EXPECT_EQ(windows.until(60).parts(0, 1, 60), windows.parts(0, 1, 60));
}

// However time is divided into windows, the activity of all windows adds up to the time spent.
RC_GTEST_PROP(TimeWindows, AddSeveralMembersLikeOneAfterTheOther, ()) {
  const auto in = [](int from, int to) { return *rc::gen::inRange(from, to); };
  TimeWindows together(1, 3);
  TimeWindows apart(1, 3);
  for (int i = 0; i < 20; ++i) {
    const Femtoseconds begin = in(0, 1000);
    const Femtoseconds end = begin + in(1, 100);
    const Femtoseconds spent = in(0, static_cast<int>(end - begin) + 1);
    const int count = in(1, 5);
    together.add(0, begin, end, spent, count);
    for (int member = 0; member < count; ++member) apart.add(0, begin, end, spent);
  }
  RC_ASSERT(together.parts(0, 1, 1100) == apart.parts(0, 1, 1100));
}

RC_GTEST_PROP(TimeWindows, KeepTheTotalTime, ()) {
  const auto in = [](Femtoseconds least, Femtoseconds most) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
  };
  TimeWindows windows(1, in(1, 20));
  Femtoseconds all = 0;
  Femtoseconds last = 1;
  for (auto spans = in(1, 20); spans > 0; --spans) {
    const Femtoseconds begin = in(0, 500);
    const Femtoseconds end = begin + in(0, 200);
    const Femtoseconds spent = in(0, end - begin);
    windows.add(0, begin, end, spent);
    all += begin == end ? 0 : spent;
    last = std::max(last, end);
  }
  const auto parts = windows.parts(0, 1, last);
  double sum = 0;
  for (std::size_t w = 0; w < parts.size(); ++w) {
    const Femtoseconds begin = static_cast<Femtoseconds>(w) * windows.window();
    sum += parts[w] * static_cast<double>(std::min(windows.window(), last - begin));
  }
  RC_ASSERT(std::abs(sum - static_cast<double>(all)) < 1e-6);
}

// Two accelerators are connected by a switch with 16 GB/s per link, which carries one 16-byte flit per cycle
// of 1 ns.
TEST(DimensionActivity, CountsChannelsThatLeaveAccelerators) {
  const topology::Topology topology = topology::make_hierarchy(
      std::vector{topology::DimensionSpec{topology::DimensionKind::kSwitch, 2, 1, {16'000'000'000}, 0}});
  const config::SystemConfig system;
  schedule::Schedule schedule;
  schedule.routes = {{{0, {0, 4}}, {1, {0, 4}}, {1, {0, 4}}}};
  DimensionActivity activity(topology, system, {&schedule});
  const topology::ChannelId up = topology.out_channels(0)[0];
  const topology::ChannelId down = topology.out_channels(2)[0];
  const Femtoseconds cycle = system.clock.period();
  activity.channel_busy(up, 10, 30, 20 * cycle);
  activity.channel_busy(down, 10, 30, 20 * cycle);
  const Femtoseconds end = 40 * system.clock.period();
  const auto busy = activity.busy(0, end);
  ASSERT_EQ(busy.size(), 40U);
  EXPECT_EQ(busy[9], 0);
  EXPECT_EQ(busy[10], 0.5);  // one of the two accelerators is sending
  EXPECT_EQ(busy[29], 0.5);
  EXPECT_EQ(busy[30], 0);

  schedule::TableEntry entry;
  entry.route = 0;
  ni::MessageRecord message;
  message.entry = &entry;
  message.src = 1;
  message.dependencies_met = 5;
  message.completed = 20;
  activity.message_completed(message);
  message.dependencies_met = 15;  // while the previous message is in flight
  message.completed = 35;
  activity.message_completed(message);
  const auto active = activity.active(0, end);
  EXPECT_EQ(active[4], 0);
  EXPECT_EQ(active[5], 0.5);
  EXPECT_EQ(active[17], 0.5);
  EXPECT_EQ(active[34], 0.5);
  EXPECT_EQ(active[35], 0);
}

// The activity of two accelerators on a switch. For each {begin, end} in cycles of 1 ns, accelerator 0 sends
// a message.
std::vector<double> activity_of(const std::vector<std::pair<Cycles, Cycles>>& messages) {
  const topology::Topology topology = topology::make_hierarchy(
      std::vector{topology::DimensionSpec{topology::DimensionKind::kSwitch, 2, 1, {16'000'000'000}, 0}});
  const config::SystemConfig system;
  schedule::Schedule schedule;
  schedule.routes = {{{0, {0, 4}}, {1, {0, 4}}, {1, {0, 4}}}};
  DimensionActivity activity(topology, system, {&schedule});
  schedule::TableEntry entry;
  entry.route = 0;
  ni::MessageRecord message;
  message.entry = &entry;
  message.src = 0;
  for (const auto& [begin, end] : messages) {
    message.dependencies_met = begin;
    message.completed = end;
    activity.message_completed(message);
  }
  return activity.active(0, 60 * system.clock.period());
}

TEST(DimensionActivity, CountsOvertakenMessagesFromTheirBeginning) {
  const auto alone = activity_of({{5, 35}});
  EXPECT_EQ(activity_of({{10, 20}, {5, 35}}), alone);
  EXPECT_EQ(activity_of({{10, 15}, {20, 25}, {5, 35}}), alone);
  EXPECT_EQ(activity_of({{8, 15}, {5, 12}, {12, 35}}), alone);
  EXPECT_EQ(activity_of({{5, 35}, {10, 35}}), alone);
  EXPECT_EQ(activity_of({{10, 35}, {5, 35}}), alone);
}

// The activity of random messages must equal a bitmap in which each message marks its cycles.
RC_GTEST_PROP(DimensionActivity, IsTheUnionOfItsMessages, ()) {
  auto messages = *rc::gen::container<std::vector<std::pair<Cycles, Cycles>>>(
      rc::gen::pair(rc::gen::inRange<Cycles>(0, 60), rc::gen::inRange<Cycles>(0, 60)));
  std::ranges::sort(messages, {}, &std::pair<Cycles, Cycles>::second);
  std::vector<double> marks(60, 0);
  for (const auto& [begin, end] : messages) {
    for (Cycles cycle = begin; cycle < end; ++cycle) marks[static_cast<std::size_t>(cycle)] = 0.5;
  }
  std::erase_if(messages, [](const auto& message) { return message.first > message.second; });
  RC_ASSERT(activity_of(messages) == marks);
}

double mean(const nlohmann::ordered_json& windows, double window_ns, double time_ns) {
  double sum = 0;
  double begin = 0;
  for (const auto& part : windows) {
    sum += part.get<double>() * std::min(window_ns, time_ns - begin);
    begin += window_ns;
  }
  return sum / time_ns;
}

// If another channel of the route slows a train down, the train leaves gaps on a faster channel, and these
// must not count as busy. Here, channels of the first dimension are four times as fast as those of the
// second.
TEST(DimensionActivity, CountsTheBandwidthThatATrainUses) {
  const auto result = [](const char* fidelity) {
    return run("hierarchy_16x8x8",
               {"system.topology.dimensions=[{kind: switch, size: 2, bandwidth: 16 GB/s, latency: 30 ns}, "
                "{kind: switch, size: 2, bandwidth: 4 GB/s, latency: 10 ns}]",
                "system.ni.flow_control=message", "collective.algorithm=ring", "collective.chunks=1",
                "collective.size=64 KiB", std::string("fidelity=") + fidelity});
  };
  const auto flit = result("flit");
  const auto train = result("train");
  ASSERT_EQ(flit["cycles"], train["cycles"]);
  const double time = flit["time_ns"];
  const double window = flit["window_ns"];
  for (std::size_t d = 0; d < 2; ++d) {
    const double expected = mean(flit["dimensions"][d]["busy"], window, time);
    EXPECT_NEAR(mean(train["dimensions"][d]["busy"], window, time), expected, 0.001) << "dimension " << d;
  }
  EXPECT_LT(mean(train["dimensions"][0]["busy"], window, time), 0.13);
}

// A dimension's utilization includes messages that accelerators forward for others.
TEST(DimensionActivity, AgreesWithTheUtilizationOfForwardingDimensions) {
  const auto result =
      run("hierarchy_16x8x8",
          {"system.topology.dimensions=[{kind: switch, size: 2, bandwidth: 16 GB/s, latency: 30 ns}, "
           "{kind: switch, size: 2, bandwidth: 4 GB/s, latency: 10 ns}]",
           "system.ni.flow_control=message", "collective.algorithm=direct", "collective.chunks=1",
           "collective.size=64 KiB", "fidelity=flit"});
  for (const auto& dimension : result["dimensions"]) {
    const double busy = mean(dimension["busy"], result["window_ns"], result["time_ns"]);
    EXPECT_NEAR(dimension["utilization"].get<double>(), busy, 0.05 * busy);
  }
}

// Over the whole run, each channel is busy for exactly the time of its flits, both with trains and with
// flits.
TEST(DimensionActivity, AddsUpToTheUtilizationOfTheDimensions) {
  const auto result = [](const char* fidelity) {
    return run("hierarchy_16x8x8",
               {"system.topology.dimensions=[{kind: switch, size: 4, bandwidth: 10 GB/s, latency: 30 ns}, "
                "{kind: ring, size: 3, links: 4, bandwidth: 5 GB/s, latency: 10 ns}]",
                "collective.size=768 KiB", "collective.chunks=4", "system.ni.flow_control=message",
                std::string("fidelity=") + fidelity});
  };
  const auto flit = result("flit");
  const auto train = result("train");
  ASSERT_EQ(flit["cycles"], train["cycles"]);
  EXPECT_EQ(flit["window_ns"], train["window_ns"]);
  const double time = flit["time_ns"];
  const double window = flit["window_ns"];
  for (std::size_t d = 0; d < 2; ++d) {
    const auto& dimension = flit["dimensions"][d];
    EXPECT_LE(dimension["busy"].size(), TimeWindows::kMost);
    EXPECT_EQ(dimension["busy"].size(), dimension["activity"].size());
    // `busy` is slightly larger than the utilization, because it also counts head flits and incomplete last
    // flits.
    const double used = dimension["utilization"];
    EXPECT_THAT(mean(dimension["busy"], window, time), DoubleNear(used, 0.05 * used));
    EXPECT_GE(mean(dimension["busy"], window, time), used);
    EXPECT_GT(mean(dimension["activity"], window, time), used);
    for (std::size_t w = 0; w < dimension["busy"].size(); ++w) {
      EXPECT_NEAR(dimension["busy"][w].get<double>(), train["dimensions"][d]["busy"][w].get<double>(), 0.01);
      EXPECT_EQ(dimension["activity"][w], train["dimensions"][d]["activity"][w]);
      EXPECT_LE(dimension["activity"][w].get<double>(), 1);
    }
  }
}

}  // namespace
}  // namespace coppice::system
