#include "routing/methods.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "sample_flows.h"

namespace coppice::routing {
namespace {

int load_of(const std::string& method, const Instance& instance, const AssignerOptions& options = {}) {
  const Assignment spines = make_assigner(method, options)->assign(instance.links, instance.flows);
  return max_load(instance.links, instance.flows, spines);
}

bool routable(const Instance& instance) {
  try {
    require_routable(instance.links, instance.flows);
  } catch (const UnroutableError&) {
    return false;
  }
  return true;
}

TEST(Methods, CanAllBeCreated) {
  EXPECT_EQ(methods().size(), 6);
  for (const MethodInfo& method : methods()) EXPECT_NE(make_assigner(method.name), nullptr) << method.name;
  EXPECT_EQ(make_assigner("random"), nullptr);
}

TEST(Methods, DoNotRouteLocalFlows) {
  for (const MethodInfo& method : methods()) {
    const Instance instance{ClosLinks(2, 2), flows_between({{0, 0}, {1, 1}})};
    EXPECT_EQ(make_assigner(method.name)->assign(instance.links, instance.flows),
              (Assignment{kNoSpine, kNoSpine}))
        << method.name;
  }
}

TEST(Methods, ReportFlowsThatCannotBeRouted) {
  Instance instance{ClosLinks(2, 2), flows_between({{0, 1}})};
  instance.links.set_link(1, 0, false);
  instance.links.set_link(1, 1, false);
  for (const MethodInfo& method : methods()) {
    EXPECT_THROW(load_of(method.name, instance), UnroutableError) << method.name;
  }
}

// The example in Sec. 2.3 and Fig. 2 of the paper: the rings s1-s2-s3 and s4-s5-s6 have four flows between
// four ToRs.
TEST(Methods, OnlyHashingMakesTheFlowsOfFigureTwoShareALink) {
  const Instance instance{ClosLinks(4, 4), flows_between({{0, 1}, {1, 0}, {1, 2}, {2, 0}})};
  for (const char* method : {"greedy", "edge_coloring", "annealing", "ilp", "optimal"}) {
    EXPECT_EQ(load_of(method, instance), 1) << method;
  }
}

// Every method uses live links only; max_load() throws otherwise.
RC_GTEST_PROP(Methods, UseOnlyLiveLinksAndRespectTheBound, ()) {
  Instance instance = any_instance();
  if (*rc::gen::arbitrary<bool>()) fail_some_spines(instance.links);
  if (*rc::gen::arbitrary<bool>()) fail_some_links(instance.links);
  RC_PRE(routable(instance));  // failed spines and failed links together may disconnect a flow
  const int bound = lower_bound(instance.links, instance.flows);
  for (const char* method : {"ecmp", "greedy", "edge_coloring", "annealing", "optimal"}) {
    RC_ASSERT(load_of(method, instance) >= bound);
  }
}

// If all ToRs have the same live spines, the exact methods reach the lower bound (König's theorem).
RC_GTEST_PROP(Methods, ExactOnesReachTheBoundWithSpinesFailed, ()) {
  Instance instance = any_instance();
  fail_some_spines(instance.links);
  const int bound = lower_bound(instance.links, instance.flows);
  RC_ASSERT(load_of("edge_coloring", instance) == bound);
  RC_ASSERT(load_of("optimal", instance) == bound);
}

RC_GTEST_PROP(Methods, IntegerProgramAgreesWithColoring, ()) {
  Instance instance = any_instance(12);
  fail_some_spines(instance.links);
  RC_ASSERT(load_of("ilp", instance) == load_of("edge_coloring", instance));
}

// With any failed links, the integer program is exact. `optimal` is at least as good as greedy, and usually
// exact.
RC_GTEST_PROP(Methods, OptimalLiesBetweenTheIntegerProgramAndGreedyWithLinksFailed, ()) {
  Instance instance = any_instance(12);
  fail_some_links(instance.links);
  const int exact = load_of("ilp", instance);
  const int optimal = load_of("optimal", instance);
  RC_ASSERT(exact >= lower_bound(instance.links, instance.flows));
  RC_ASSERT(optimal >= exact);
  RC_ASSERT(optimal <= load_of("greedy", instance));
  RC_CLASSIFY(optimal == exact, "optimal is exact");
}

TEST(Methods, AreRepeatable) {
  const Instance instance{ClosLinks(64, 32), random_rings(128, 4, 7)};
  for (const char* method : {"ecmp", "greedy", "annealing", "optimal"}) {
    const AssignerOptions options{.seed = 3};
    EXPECT_EQ(make_assigner(method, options)->assign(instance.links, instance.flows),
              make_assigner(method, options)->assign(instance.links, instance.flows))
        << method;
  }
}

}  // namespace
}  // namespace coppice::routing
