#include "routing/greedy.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "sample_flows.h"

namespace coppice::routing {
namespace {

using testing::ElementsAre;

// The reference: a direct implementation of the paper's Algorithm 1.
Assignment algorithm_one(const ClosLinks& links, std::span<const Flow> flows) {
  const auto width = static_cast<std::size_t>(links.spines());
  std::vector<int> up(static_cast<std::size_t>(links.tors()) * width, 0);
  std::vector<int> down(up.size(), 0);
  Assignment paths;
  for (const Flow& flow : flows) {
    if (flow.local()) {
      paths.push_back(kNoSpine);
      continue;
    }
    const auto busiest = [&](int s) {
      return std::max(up[static_cast<std::size_t>(flow.src_tor) * width + static_cast<std::size_t>(s)],
                      down[static_cast<std::size_t>(flow.dst_tor) * width + static_cast<std::size_t>(s)]);
    };
    const std::vector<int> candidates = links.live_spines(flow.src_tor, flow.dst_tor);
    int path = candidates.front();
    for (const int s : candidates) {
      if (busiest(s) < busiest(path)) path = s;
    }
    ++up[static_cast<std::size_t>(flow.src_tor) * width + static_cast<std::size_t>(path)];
    ++down[static_cast<std::size_t>(flow.dst_tor) * width + static_cast<std::size_t>(path)];
    paths.push_back(path);
  }
  return paths;
}

// 0->1 gets spine 0. 2->1 must avoid spine 0. For 2->3, spine 0 is free at both ends. 0->3 gets spine 1.
TEST(Greedy, ChoosesTheLowestOfTheLeastLoadedSpines) {
  const auto flows = flows_between({{0, 1}, {2, 1}, {2, 3}, {0, 3}, {0, 1}});
  Greedy greedy;
  EXPECT_THAT(greedy.assign(ClosLinks(4, 2), flows), ElementsAre(0, 1, 0, 1, 0));
}

RC_GTEST_PROP(Greedy, IsAlgorithmOne, ()) {
  Instance instance = any_instance();
  if (*rc::gen::arbitrary<bool>()) fail_some_links(instance.links);
  RC_ASSERT(Greedy().assign(instance.links, instance.flows) == algorithm_one(instance.links, instance.flows));
}

// Theorem 2 of the paper holds for any order of flows.
RC_GTEST_PROP(Greedy, HasAtMostTwiceTheLoadOfTheOptimum, ()) {
  Instance instance = any_instance();
  fail_some_spines(instance.links);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  Random random(seed, 1);
  for (std::size_t i = instance.flows.size(); i > 1; --i) {
    std::swap(instance.flows[i - 1], instance.flows[random.below(i)]);
  }
  const Assignment spines = Greedy().assign(instance.links, instance.flows);
  RC_ASSERT(max_load(instance.links, instance.flows, spines) <=
            2 * lower_bound(instance.links, instance.flows));
}

// For dense rings whose flows are assigned in ring order, greedy has exactly twice the optimal load.
TEST(Greedy, ReachesTwiceTheOptimumOnDenseRings) {
  const auto flows = random_rings(250, 8, 1);
  const ClosLinks links(64, 32);
  EXPECT_EQ(lower_bound(links, flows), 1);
  EXPECT_EQ(max_load(links, flows, Greedy().assign(links, flows)), 2);
}

}  // namespace
}  // namespace coppice::routing
