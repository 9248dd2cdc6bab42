#include "routing/annealing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "sample_flows.h"

namespace coppice::routing {
namespace {

// As in Hedera's switch configuration, all flows to a destination use the same spine.
RC_GTEST_PROP(Annealing, AssignsASpineToEveryDestination, ()) {
  Instance instance = any_instance(30);
  for (Flow& flow : instance.flows) flow.dst = 8 * flow.dst_tor + flow.dst % 8;
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Assignment spines = Annealing(seed).assign(instance.links, instance.flows);
  RC_ASSERT(spines == Annealing(seed).assign(instance.links, instance.flows));
  std::map<NodeId, int> of_destination;
  for (std::size_t i = 0; i < spines.size(); ++i) {
    RC_ASSERT((spines[i] == kNoSpine) == instance.flows[i].local());
    if (spines[i] == kNoSpine) continue;
    RC_ASSERT(of_destination.emplace(instance.flows[i].dst, spines[i]).first->second == spines[i]);
  }
}

RC_GTEST_PROP(Annealing, UsesOnlyLiveSpines, ()) {
  Instance instance = any_instance(30);
  fail_some_links(instance.links);
  const Assignment spines = Annealing(1).assign(instance.links, instance.flows);
  for (std::size_t i = 0; i < spines.size(); ++i) {
    const Flow& flow = instance.flows[i];
    if (!flow.local()) RC_ASSERT(instance.links.usable(flow.src_tor, spines[i], flow.dst_tor));
  }
}

// With four flows and four spines, annealing finds one flow per spine from every start.
TEST(Annealing, FindsAnObviousOptimum) {
  const ClosLinks links(2, 4);
  const auto flows = flows_between({{0, 1}, {0, 1}, {0, 1}, {0, 1}});
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(max_load(links, flows, Annealing(seed).assign(links, flows)), 1);
  }
}

TEST(Annealing, RejectsFlowsWithoutAPath) {
  ClosLinks links(2, 1);
  links.set_spine(0, false);
  const auto flows = flows_between({{0, 1}});
  EXPECT_THROW(Annealing(1).assign(links, flows), UnroutableError);
}

}  // namespace
}  // namespace coppice::routing
