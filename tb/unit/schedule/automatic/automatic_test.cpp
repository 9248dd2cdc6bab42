#include "schedule/automatic/automatic.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "machine.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/proof/checker.h"
#include "schedule/registry.h"

namespace coppice::schedule {
namespace {

using testing::AnyOf;

TEST(Automatic, ChoosesTheFastestExpectedAlgorithm) {
  const Machine machine = mesh({4, 4});
  const CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  const AutomaticChoice choice = choose_algorithm(machine.topology, request, algorithms());
  EXPECT_EQ(choice.schedule.algorithm, choice.expected.front().algorithm);
  EXPECT_EQ(choice.schedule.algorithm, "packed_trees");
  EXPECT_GT(choice.expected.size(), 4U);
  for (std::size_t i = 1; i < choice.expected.size(); ++i) {
    EXPECT_LE(choice.expected[i - 1].time, choice.expected[i].time);
  }
  const auto time = static_cast<double>(expected_time(machine.topology, request, choice.schedule));
  EXPECT_NEAR(static_cast<double>(choice.expected.front().time), time, time / 100);
  check_schedule(machine.topology, choice.schedule);
}

std::vector<AlgorithmInfo> named(const std::vector<std::string>& names) {
  std::vector<AlgorithmInfo> some;
  for (const std::string& name : names) some.push_back(*find_algorithm(name));
  return some;
}

// The data cannot be divided equally among 288 accelerators, so all accelerators cannot share one set of
// tables.
TEST(Automatic, ChoosesTreesOnLargeTori) {
  const Machine machine = torus({18, 16});
  const CompileRequest request = timed(machine.request(Collective::kAllReduce, Bytes{64} << 20));
  const AutomaticChoice choice =
      choose_algorithm(machine.topology, request, named({"ring", "multitree", "multitree_optimal"}));
  EXPECT_EQ(choice.expected.size(), 3U);
  EXPECT_THAT(choice.schedule.algorithm, AnyOf("multitree_optimal", "multitree"));
}

TEST(Automatic, ChoosesOnNetworksOfAnySize) {
  const Machine machine = mesh({33, 32});
  const CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  EXPECT_EQ(choose_algorithm(machine.topology, request, named({"ring"})).schedule.algorithm, "ring");
}

// An algorithm that is estimated to compile too slowly is tried only if no other algorithm applies.
TEST(Automatic, TriesAlgorithmsWithinATimeLimit) {
  const Machine machine = mesh({4, 4});
  const CompileRequest request = machine.request(Collective::kAllReduce, 4096);
  std::vector<AlgorithmInfo> two = named({"ring", "direct"});
  two.front().trials.front().seconds = [](const topology::Topology&, const CompileRequest&) { return 1e6; };
  EXPECT_EQ(choose_algorithm(machine.topology, request, two).expected.size(), 1U);
  EXPECT_EQ(choose_algorithm(machine.topology, request, two).schedule.algorithm, "direct");
  two.pop_back();
  EXPECT_EQ(choose_algorithm(machine.topology, request, two).schedule.algorithm, "ring");
}

TEST(Automatic, BroadcastsFromTheRoot) {
  const Machine machine = mesh({3, 3});
  CompileRequest request = timed(machine.request(Collective::kAllGather, 1 << 16));
  request.root = 4;
  const AutomaticChoice choice = choose_algorithm(machine.topology, request, algorithms());
  EXPECT_THAT(choice.schedule.algorithm, AnyOf("packed_trees", "multitree", "multitree_optimal"));
  check_schedule(machine.topology, choice.schedule);
}

CompileRequest blocks(const Machine& machine, Bytes block) {
  const Bytes n = machine.topology.num_accelerators();
  return timed(machine.request(Collective::kAllGather, n * n * block));
}

TEST(Automatic, ChoosesTheFastestExpectedExchange) {
  for (const auto& [machine, name] :
       {std::pair{torus({4, 4}), "balanced"}, {mesh({4, 4}), "balanced"}, {fat_tree({4, 2}), "direct"}}) {
    const AutomaticChoice choice = choose_all_to_all(machine.topology, blocks(machine, 16 * 1024));
    EXPECT_EQ(choice.expected.front().algorithm, name) << machine.topology.name();
    EXPECT_EQ(choice.schedule.algorithm, std::string("all_to_all_") + name);
    EXPECT_GE(choice.expected.size(), 3U);
    for (std::size_t i = 1; i < choice.expected.size(); ++i) {
      EXPECT_LE(choice.expected[i - 1].time, choice.expected[i].time);
    }
  }
}

// The automatic choice does not build tables with very many messages; such algorithms must be requested by
// name.
TEST(Automatic, DoesNotTryExchangesWithManyMessages) {
  const Machine machine = torus({16, 16});
  const AutomaticChoice choice = choose_all_to_all(machine.topology, blocks(machine, 1024));
  EXPECT_GE(choice.expected.size(), 4U);
  for (const ExpectedTime& one : choice.expected) EXPECT_NE(one.algorithm, "ring");
}

// A single message over one channel takes the time of its flits plus the channel's latency.
TEST(ExpectedTime, AddsUpAMessage) {
  const Machine machine = mesh({2});
  CompileRequest request = timed(machine.request(Collective::kAllGather, 1600));
  request.root = 0;
  const Schedule schedule = make_compiler("multitree")->compile(machine.topology, request);
  EXPECT_EQ(expected_time(machine.topology, request, schedule), (101 + 150 + 5 + 5 + 5 + 4) * 1'000'000LL);
}

TEST(ExpectedTime, GivesUpBeyondALimit) {
  const Machine machine = mesh({4, 4});
  const CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 16));
  const Schedule schedule = make_compiler("ring")->compile(machine.topology, request);
  const Femtoseconds time = expected_time(machine.topology, request, schedule);
  EXPECT_EQ(expected_time(machine.topology, request, schedule, time), time);
  const Femtoseconds given_up = expected_time(machine.topology, request, schedule, time / 2);
  EXPECT_GT(given_up, time / 2);
  EXPECT_LT(given_up, time);
}

}  // namespace
}  // namespace coppice::schedule
