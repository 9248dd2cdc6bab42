#include "routing/instance.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "sample_flows.h"

namespace coppice::routing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ClosLinks, FollowTheTopologysChannels) {
  const topology::LinkSpec link{.bandwidth = {1'000'000'000}, .latency = 0};
  const std::vector<int> dims{4, 3, 2};
  const topology::Topology topology = topology::make_clos(dims, std::span(&link, 1), {.links = {{1, 0}}});
  const ClosLinks links{topology::Clos(topology)};
  EXPECT_TRUE(links.up(0, 0));
  EXPECT_FALSE(links.up(1, 0));
  EXPECT_FALSE(links.down(0, 1));
  EXPECT_TRUE(links.down(1, 1));
  EXPECT_THAT(links.live_spines(0, 1), ElementsAre(1));
  EXPECT_THAT(links.live_spines(0, 2), ElementsAre(0, 1));
  EXPECT_FALSE(links.uniform());
}

TEST(ClosLinks, AreUniformDespiteFailedSpines) {
  ClosLinks links(3, 4);
  links.set_spine(2, false);
  EXPECT_TRUE(links.uniform());
  links.set_link(1, 0, false);
  EXPECT_FALSE(links.uniform());
  links.set_link(1, 0, true);
  EXPECT_TRUE(links.uniform());
}

TEST(MaxLoad, CountsFlowsPerDirectedLink) {
  const auto flows = flows_between({{0, 1}, {0, 2}, {1, 0}, {1, 1}});
  const ClosLinks links(3, 2);
  EXPECT_EQ(max_load(links, flows, std::vector{0, 0, 0, kNoSpine}), 2);
  EXPECT_EQ(max_load(links, flows, std::vector{0, 1, 0, kNoSpine}), 1);
  EXPECT_THROW(max_load(links, flows, std::vector{0, 2, 0, kNoSpine}), std::invalid_argument);
}

// A spine number that is too large must be refused; otherwise, ToR 0's spine 2 would refer to the link from
// ToR 1 to spine 0.
TEST(MaxLoad, RejectsSpinesThatDoNotExist) {
  const ClosLinks links(4, 2);
  EXPECT_THROW(max_load(links, flows_between({{0, 1}}), std::vector{2}), std::invalid_argument);
  EXPECT_THROW(max_load(links, flows_between({{1, 2}}), std::vector{-1}), std::invalid_argument);
}

// Four flows leave ToR 0, so with three spines, at least one spine carries two of them.
TEST(LowerBound, IsTheBusiestTorsShare) {
  const auto flows = flows_between({{0, 1}, {0, 2}, {0, 1}, {0, 2}, {1, 2}, {2, 2}});
  EXPECT_EQ(lower_bound(ClosLinks(3, 3), flows), 2);
  EXPECT_EQ(lower_bound(ClosLinks(3, 4), flows), 1);
  EXPECT_EQ(lower_bound(ClosLinks(3, 1), flows), 4);
  EXPECT_EQ(lower_bound(ClosLinks(3, 1), flows_between({{1, 1}})), 0);
}

// ToR 0 is connected to spines 0 to 2, but ToR 1 to spine 0 only.
TEST(LowerBound, IncludesTheLinksAtTheOtherEnd) {
  ClosLinks links(3, 3);
  links.set_link(1, 1, false);
  links.set_link(1, 2, false);
  EXPECT_EQ(lower_bound(links, flows_between({{0, 1}, {0, 1}, {0, 2}})), 2);
  EXPECT_EQ(lower_bound(links, flows_between({{0, 1}, {0, 2}, {0, 2}})), 1);
}

TEST(RequireRoutable, ListsTheFlowsThatAreCutOff) {
  ClosLinks links(2, 2);
  links.set_link(1, 0, false);
  links.set_link(1, 1, false);
  const auto flows = flows_between({{0, 0}, {0, 1}, {1, 1}});
  try {
    require_routable(links, flows);
    FAIL() << "ToR 1 has no live spine";
  } catch (const UnroutableError& error) {
    EXPECT_THAT(error.flows(), ElementsAre(1));
    EXPECT_THAT(error.what(), HasSubstr("1 of 3 flows have no live path: 2->3 (ToR 0 to ToR 1)"));
  }
}

}  // namespace
}  // namespace coppice::routing
