#include "routing/spine_balancer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "sample_flows.h"

namespace coppice::routing {
namespace {

// The number of flows on every link, keyed by (ToR, spine, whether the link leads up).
std::map<std::tuple<int, int, bool>, int> loads_of(const Instance& instance, const Assignment& spines) {
  std::map<std::tuple<int, int, bool>, int> loads;
  for (std::size_t i = 0; i < instance.flows.size(); ++i) {
    if (spines[i] == kNoSpine) continue;
    ++loads[{instance.flows[i].src_tor, spines[i], true}];
    ++loads[{instance.flows[i].dst_tor, spines[i], false}];
  }
  return loads;
}

// The number of flows that leave each ToR (key true) and that enter it (key false).
std::map<std::pair<int, bool>, int> degrees_of(const Instance& instance) {
  std::map<std::pair<int, bool>, int> degrees;
  for (const Flow& flow : instance.flows) {
    if (flow.local()) continue;
    ++degrees[{flow.src_tor, true}];
    ++degrees[{flow.dst_tor, false}];
  }
  return degrees;
}

// If all ToRs have the same live spines, no link carries more flows than its equal share, rounded up.
RC_GTEST_PROP(SpineBalancer, AssignsTheMinimumToEveryLink, ()) {
  Instance instance = any_instance();
  fail_some_spines(instance.links);
  const auto live = static_cast<int>(instance.links.live_spines(0, 0).size());
  SpineBalancer balancer(instance.links, instance.flows);
  balancer.cap_by_degree();
  for (std::size_t i = 0; i < instance.flows.size(); ++i) {
    if (!instance.flows[i].local()) RC_ASSERT(balancer.place(i));
  }
  const auto degrees = degrees_of(instance);
  for (const auto& [link, load] : loads_of(instance, balancer.spines())) {
    const auto& [tor, spine, up] = link;
    RC_ASSERT((up ? instance.links.up(tor, spine) : instance.links.down(spine, tor)));
    RC_ASSERT(load <= (degrees.at({tor, up}) + live - 1) / live);
  }
  RC_ASSERT(balancer.least_excess() == 0);
  RC_ASSERT(balancer.remove_excess().empty());
}

// With any failed links, adding a flow either respects the cap of every link, or changes nothing because the
// flow has no path.
RC_GTEST_PROP(SpineBalancer, RespectsItsCapsOrChangesNothing, ()) {
  Instance instance = any_instance(40);
  fail_some_links(instance.links);
  SpineBalancer balancer(instance.links, instance.flows);
  const int most = *rc::gen::inRange(1, 5);
  balancer.cap_all(most);
  for (std::size_t i = 0; i < instance.flows.size(); ++i) {
    if (instance.flows[i].local()) continue;
    const Assignment before = balancer.spines();
    const bool placed = balancer.place(i);
    RC_ASSERT(placed == (balancer.spines()[i] != kNoSpine));
    if (!placed) RC_ASSERT(balancer.spines() == before);
    for (std::size_t f = 0; f < instance.flows.size(); ++f) {
      const int spine = balancer.spines()[f];
      RC_ASSERT((spine == kNoSpine) == (f == i ? !placed : before[f] == kNoSpine));
      if (spine == kNoSpine) continue;
      RC_ASSERT(instance.links.usable(instance.flows[f].src_tor, spine, instance.flows[f].dst_tor));
    }
    for (const auto& [link, load] : loads_of(instance, balancer.spines())) RC_ASSERT(load <= most);
  }
}

// Three flows use a link with a cap of one. Exactly two of them are removed, and the third stays.
TEST(SpineBalancer, RemovesFlowsAboveTheCaps) {
  Instance instance{ClosLinks(3, 2), flows_between({{0, 1}, {0, 1}, {0, 2}, {1, 2}})};
  SpineBalancer balancer(instance.links, instance.flows);
  balancer.cap_all(1);
  for (const std::size_t flow : {0, 1, 2}) balancer.put(flow, 0);
  balancer.put(3, 1);
  EXPECT_EQ(balancer.least_excess(), 2);
  const auto taken = balancer.remove_excess();
  EXPECT_EQ(taken.size(), 2U);
  for (const std::size_t flow : taken) EXPECT_EQ(balancer.spines()[flow], kNoSpine);
  EXPECT_EQ(balancer.least_excess(), 0);
  EXPECT_EQ(balancer.spines()[3], 1);
}

}  // namespace
}  // namespace coppice::routing
