#include "routing/optimal.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "routing/greedy.h"
#include "routing/ilp.h"
#include "sample_flows.h"

namespace coppice::routing {
namespace {

// The number of flows on each link, keyed by (end, spine). Ends number the outgoing sides of all ToRs first
// and then their incoming sides.
std::map<std::pair<int, int>, int> loads_of(const Instance& instance, const Assignment& spines) {
  std::map<std::pair<int, int>, int> loads;
  for (std::size_t i = 0; i < spines.size(); ++i) {
    if (instance.flows[i].local()) continue;
    ++loads[{instance.flows[i].src_tor, spines[i]}];
    ++loads[{instance.links.tors() + instance.flows[i].dst_tor, spines[i]}];
  }
  return loads;
}

// `optimal` guarantees more than a minimal maximum load: no link carries more than its ToR's flows divided by
// its live spines, rounded up.
RC_GTEST_PROP(Optimal, LoadsEveryLinkAsLittleAsItsTorAllows, ()) {
  Instance instance = any_instance(200);
  fail_some_spines(instance.links);
  int live = 0;
  for (int s = 0; s < instance.links.spines(); ++s) live += instance.links.up(0, s) ? 1 : 0;
  std::map<int, int> degree;
  const Assignment spines = Optimal(1).assign(instance.links, instance.flows);
  const auto loads = loads_of(instance, spines);
  for (const auto& [link, load] : loads) degree[link.first] += load;
  for (const auto& [link, load] : loads) RC_ASSERT(load <= (degree[link.first] + live - 1) / live);
}

TEST(Optimal, HalvesGreedysLoadOnDenseRings) {
  const ClosLinks links(64, 32);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto flows = random_rings(250, 8, seed);
    EXPECT_EQ(max_load(links, flows, Optimal(1).assign(links, flows)), 1);
  }
}

// Even if every third ToR has a failed link, dense rings reach the lower bound.
TEST(Optimal, FindsRoomAroundFailedLinks) {
  ClosLinks links(64, 32);
  for (int tor = 0; tor < 64; tor += 3) links.set_link(tor, tor % 32, false);
  const auto flows = random_rings(200, 8, 2);
  EXPECT_EQ(max_load(links, flows, Optimal(1).assign(links, flows)), lower_bound(links, flows));
}

int load_of(const Instance& instance, PathAssigner&& method) {
  return max_load(instance.links, instance.flows, method.assign(instance.links, instance.flows));
}

// If spines are unequal, `optimal` guarantees only a load no higher than greedy's, so this test measures
// fixed seeds. On small networks with up to half of their links dead, it matches the integer program and
// proves its optimum.
TEST(Optimal, IsExactOnSmallNetworksWithDeadLinks) {
  Random random(5);
  int unproven = 0;
  for (int i = 0; i < 300; ++i) {
    const auto tors = static_cast<int>(3 + random.below(6));
    const auto spines = static_cast<int>(3 + random.below(3));
    const Instance instance = with_dead_links(tors, spines, 0.1 * static_cast<double>(i % 6), 24, random);
    const int load = load_of(instance, Optimal(1));
    if (load > lower_bound(instance.links, instance.flows)) {
      EXPECT_EQ(load, load_of(instance, IntegerProgram(10))) << "instance " << i;
    }
    const Assignment none(instance.flows.size(), kNoSpine);
    unproven += reassign(instance.links, instance.flows, none).proven ? 0 : 1;
  }
  EXPECT_EQ(unproven, 0);
}

// On the paper's network with up to a quarter of its links dead, random rings always reach the lower bound.
TEST(Optimal, ReachesTheBoundOnThePapersNetworkWithDeadLinks) {
  Random random(9);
  for (int i = 0; i < 20; ++i) {
    ClosLinks links(64, 32);
    for (int dead = 0; dead < (1 << (i % 10)); ++dead) {
      links.set_link(static_cast<int>(random.below(64)), static_cast<int>(random.below(32)), false);
    }
    const auto flows = random_rings(187, 8, random.below(1000));
    EXPECT_EQ(max_load(links, flows, Optimal(1).assign(links, flows)), lower_bound(links, flows)) << i;
  }
}

// In the hardest instances, every live link is needed. On these, the load exceeds the optimum by at most one.
TEST(Optimal, IsAtMostOneAboveTheOptimumIfEveryLiveLinkIsNeeded) {
  Random random(11);
  int exact = 0;
  constexpr int kInstances = 200;
  for (int i = 0; i < kInstances; ++i) {
    const int load = 1 + i % 3;
    const auto size = static_cast<int>(4 + random.below(13));
    const Instance instance = planted(size, size, 0.1 + 0.1 * static_cast<double>(i % 5), load, random);
    const int found = load_of(instance, Optimal(1));
    EXPECT_LE(found, load + 1) << "instance " << i;
    exact += found == load ? 1 : 0;
  }
  EXPECT_GE(exact, kInstances * 3 / 4);
}

Assignment nothing(std::size_t flows) {
  return Assignment(flows, kNoSpine);
}

RC_GTEST_PROP(Reassign, FromScratchIsAsGoodAsOptimal, ()) {
  Instance instance = any_instance();
  fail_some_spines(instance.links);
  const Reassignment fresh = reassign(instance.links, instance.flows, nothing(instance.flows.size()));
  RC_ASSERT(fresh.max_load == lower_bound(instance.links, instance.flows));
  RC_ASSERT(fresh.proven);
  RC_ASSERT(fresh.moved == 0U);
}

// Reassigning an assignment that is already optimal moves no flow.
RC_GTEST_PROP(Reassign, MovesNothingWithoutNeed, ()) {
  Instance instance = any_instance();
  fail_some_spines(instance.links);
  const Assignment before = Optimal(1).assign(instance.links, instance.flows);
  const Reassignment after = reassign(instance.links, instance.flows, before);
  RC_ASSERT(after.spines == before);
  RC_ASSERT(after.moved == 0U);
  RC_ASSERT(after.least_moves == 0U);
}

// Random arrivals, departures and spine failures, one after another.
RC_GTEST_PROP(Reassign, StaysOptimalThroughChanges, ()) {
  Instance instance = any_instance();
  std::vector<int> current = reassign(instance.links, instance.flows, nothing(instance.flows.size())).spines;
  for (int change = 0; change < 4; ++change) {
    const int kind = *rc::gen::inRange(0, 3);
    if (kind == 0) {
      const auto more = flows_between({{0, instance.links.tors() - 1}, {instance.links.tors() / 2, 0}});
      instance.flows.insert(instance.flows.end(), more.begin(), more.end());
      current.resize(instance.flows.size(), kNoSpine);
    } else if (kind == 1 && !instance.flows.empty()) {
      const auto leaving = *rc::gen::inRange<std::size_t>(0, instance.flows.size());
      instance.flows.erase(instance.flows.begin() + static_cast<std::ptrdiff_t>(leaving));
      current.erase(current.begin() + static_cast<std::ptrdiff_t>(leaving));
    } else {
      fail_some_spines(instance.links);
    }
    const Reassignment next = reassign(instance.links, instance.flows, current);
    RC_ASSERT(next.max_load == lower_bound(instance.links, instance.flows));
    RC_ASSERT(next.moved >= next.least_moves);
    current = next.spines;
  }
}

RC_GTEST_PROP(Reassign, CopesWithUnequalSpines, ()) {
  Instance instance = any_instance();
  const Assignment before = Optimal(1).assign(instance.links, instance.flows);
  fail_some_links(instance.links);
  const Reassignment after = reassign(instance.links, instance.flows, before);
  RC_ASSERT(max_load(instance.links, instance.flows, after.spines) == after.max_load);
  if (after.max_load == lower_bound(instance.links, instance.flows)) RC_ASSERT(after.proven);
  const Assignment greedy = Greedy().assign(instance.links, instance.flows);
  RC_ASSERT(after.max_load <= max_load(instance.links, instance.flows, greedy));
}

// When one of 32 spines fails under 1,600 flows, hardly any flows move except those that used it.
TEST(Reassign, AFailedSpineMovesFewFlowsOfOtherSpines) {
  ClosLinks links(64, 32);
  const auto flows = random_rings(200, 8, 3);
  const Assignment before = Optimal(1).assign(links, flows);
  const auto lost = static_cast<std::size_t>(std::ranges::count(before, 5));
  links.set_spine(5, false);
  const Reassignment after = reassign(links, flows, before);
  EXPECT_EQ(after.max_load, lower_bound(links, flows));
  EXPECT_GE(after.least_moves, lost);
  EXPECT_LE(after.moved, 2 * lost);
  const Assignment fresh = Optimal(1).assign(links, flows);
  std::size_t moved_by_fresh = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) moved_by_fresh += fresh[i] != before[i] ? 1 : 0;
  EXPECT_LT(after.moved, moved_by_fresh / 2);
}

}  // namespace
}  // namespace coppice::routing
