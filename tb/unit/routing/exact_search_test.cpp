#include "routing/exact_search.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "routing/ilp.h"
#include "sample_flows.h"

namespace coppice::routing {
namespace {

constexpr std::int64_t kPlenty = 1'000'000;

// An instance without a solution: ToR 2 is connected to spine 1 only, and both flows into ToR 2 would need
// it.
TEST(ExactSearch, RecognisesImpossibleInstances) {
  ClosLinks links(3, 2);
  links.set_link(2, 0, false);
  const auto flows = flows_between({{0, 2}, {1, 2}, {0, 1}});
  Assignment spines;
  EXPECT_EQ(search_assignment(links, flows, 1, kPlenty, spines), SearchOutcome::kImpossible);
  EXPECT_EQ(search_assignment(links, flows, 2, kPlenty, spines), SearchOutcome::kFound);
  EXPECT_EQ(spines[0], 1);
  EXPECT_EQ(spines[1], 1);
  EXPECT_EQ(max_load(links, flows, spines), 2);
}

TEST(ExactSearch, GivesUpInTime) {
  Random random(1);
  const Instance instance = planted(12, 12, 0.3, 1, random);
  Assignment spines;
  EXPECT_EQ(search_assignment(instance.links, instance.flows, 1, 3, spines), SearchOutcome::kGaveUp);
}

// The exact search finds an assignment if and only if the integer program finds one.
RC_GTEST_PROP(ExactSearch, AgreesWithTheIntegerProgram, ()) {
  Instance instance = any_instance(12);
  fail_some_links(instance.links);
  const Assignment best = IntegerProgram(10).assign(instance.links, instance.flows);
  const int least = max_load(instance.links, instance.flows, best);
  Assignment spines(instance.flows.size(), kNoSpine);
  RC_ASSERT(search_assignment(instance.links, instance.flows, least, kPlenty, spines) ==
            SearchOutcome::kFound);
  RC_ASSERT(max_load(instance.links, instance.flows, spines) <= least);
  if (least > 0) {
    RC_ASSERT(search_assignment(instance.links, instance.flows, least - 1, kPlenty, spines) ==
              SearchOutcome::kImpossible);
  }
}

}  // namespace
}  // namespace coppice::routing
