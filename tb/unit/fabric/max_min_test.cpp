#include "fabric/max_min.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace coppice::fabric {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Links = std::vector<std::int32_t>;

// Bertsekas and Gallager's example: three flows over link 0, one of them over link 1 as well, where it meets
// a fourth; the first link is the bottleneck of three, the fourth takes what is left of the second.
TEST(MaxMinRates, FillsTheTightestLinkFirst) {
  MaxMinRates rates({1.0, 1.0});
  const auto a = rates.add(Links{0});
  const auto b = rates.add(Links{0});
  const auto c = rates.add(Links{0, 1});
  const auto d = rates.add(Links{1});
  EXPECT_THAT(rates.update(), UnorderedElementsAre(a, b, c, d));
  for (const auto flow : {a, b, c}) EXPECT_DOUBLE_EQ(rates.rate(flow), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rates.rate(d), 2.0 / 3);
  EXPECT_TRUE(rates.is_max_min_fair());
}

TEST(MaxMinRates, ADepartureReachesFlowsThatSharedNothingWithIt) {
  // a and b share link 0; b and c link 1. Without a, b grows to half of link 1, so c shrinks.
  MaxMinRates rates({1.0, 2.0});
  const auto a = rates.add(Links{0});
  const auto b = rates.add(Links{0, 1});
  const auto c = rates.add(Links{1});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(b), 0.5);
  EXPECT_DOUBLE_EQ(rates.rate(c), 1.5);
  rates.remove(a);
  EXPECT_THAT(rates.update(), UnorderedElementsAre(b, c));
  EXPECT_DOUBLE_EQ(rates.rate(b), 1.0);
  EXPECT_DOUBLE_EQ(rates.rate(c), 1.0);
}

TEST(MaxMinRates, LeavesUntouchedFlowsAlone) {
  MaxMinRates rates({1.0, 1.0});
  rates.add(Links{0});
  const auto far = rates.add(Links{1});
  rates.update();
  const auto near = rates.add(Links{0});
  EXPECT_THAT(rates.update(), testing::Not(testing::Contains(far)));
  EXPECT_DOUBLE_EQ(rates.rate(near), 0.5);
  EXPECT_THAT(rates.update(), IsEmpty());
}

TEST(MaxMinRates, FlowsOverADeadLinkStandStillUntilRerouted) {
  MaxMinRates rates({1.0, 1.0});
  const auto a = rates.add(Links{0});
  rates.update();
  rates.set_capacity(0, 0);
  EXPECT_THAT(rates.update(), ElementsAre(a));
  EXPECT_EQ(rates.rate(a), 0);
  rates.reroute(a, Links{1});
  rates.update();
  EXPECT_DOUBLE_EQ(rates.rate(a), 1.0);
}

// Arrivals, departures, moves and failures: always the one max-min fair allocation, and the same as from
// nothing.
RC_GTEST_PROP(MaxMinRates, IncrementalIsFairAndEqualToAFreshStart, ()) {
  const int links = *rc::gen::inRange(1, 12);
  std::vector<double> capacities;
  for (int i = 0; i < links; ++i) capacities.push_back(*rc::gen::inRange(1, 5));
  MaxMinRates rates(capacities);
  std::vector<MaxMinRates::FlowId> alive;
  const auto any_links = rc::gen::nonEmpty(rc::gen::unique<Links>(rc::gen::inRange(0, links)));
  const int changes = *rc::gen::inRange(1, 40);
  for (int change = 0; change < changes; ++change) {
    const int kind = *rc::gen::inRange(0, 6);
    if (kind < 3 || alive.empty()) {
      alive.push_back(rates.add(*rc::gen::resize(4, any_links)));
    } else if (kind == 5) {
      const int link = *rc::gen::inRange(0, links);
      capacities[static_cast<std::size_t>(link)] = *rc::gen::inRange(0, 5);
      rates.set_capacity(link, capacities[static_cast<std::size_t>(link)]);
    } else {
      const auto which = *rc::gen::inRange<std::size_t>(0, alive.size());
      if (kind == 4) {
        rates.reroute(alive[which], *rc::gen::resize(4, any_links));
      } else {
        rates.remove(alive[which]);
        alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    if (*rc::gen::arbitrary<bool>()) continue;
    rates.update();
    RC_ASSERT(rates.is_max_min_fair());
  }
  rates.update();
  MaxMinRates fresh(capacities);
  std::vector<MaxMinRates::FlowId> again;
  for (const auto flow : alive) {
    const auto over = rates.links(flow);
    again.push_back(fresh.add(Links(over.begin(), over.end())));
  }
  fresh.update();
  for (std::size_t i = 0; i < alive.size(); ++i) {
    RC_ASSERT(std::abs(rates.rate(alive[i]) - fresh.rate(again[i])) <= 1e-9);
  }
}

}  // namespace
}  // namespace coppice::fabric
