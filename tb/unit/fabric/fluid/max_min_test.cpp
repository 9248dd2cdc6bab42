#include "fabric/fluid/max_min.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace coppice::fabric {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Links = std::vector<std::int32_t>;

// Whether the rates are max-min fair by definition: no link exceeds its capacity, and each flow crosses a
// full link on which no other flow is faster. `flows` must contain all flows.
bool is_max_min_fair(const MaxMinRates& rates, const std::vector<MaxMinRates::FlowId>& flows, int links) {
  constexpr double kTolerance = 1e-9;
  std::vector<double> sums(static_cast<std::size_t>(links), 0);
  std::vector<double> fastest(sums.size(), 0);
  for (const auto flow : flows) {
    for (const std::int32_t link : rates.links(flow)) {
      const auto at = static_cast<std::size_t>(link);
      sums[at] += rates.rate(flow);
      fastest[at] = std::max(fastest[at], rates.rate(flow));
    }
  }
  for (int link = 0; link < links; ++link) {
    if (sums[static_cast<std::size_t>(link)] > rates.capacity(link) * (1 + kTolerance)) return false;
  }
  return std::ranges::all_of(flows, [&](const auto flow) {
    return std::ranges::any_of(rates.links(flow), [&](const std::int32_t link) {
      const auto at = static_cast<std::size_t>(link);
      return sums[at] >= rates.capacity(link) * (1 - kTolerance) &&
             rates.rate(flow) >= fastest[at] * (1 - kTolerance);
    });
  });
}

// An example by Bertsekas and Gallager: three flows share link 0, and one of them shares link 1 with a fourth
// flow. Link 0 is the bottleneck of its three flows; the fourth flow gets the remaining capacity of link 1.
TEST(MaxMinRates, FillsTheTightestLinkFirst) {
  MaxMinRates rates({1.0, 1.0});
  const auto a = rates.add(Links{0});
  const auto b = rates.add(Links{0});
  const auto c = rates.add(Links{0, 1});
  const auto d = rates.add(Links{1});
  EXPECT_THAT(rates.update(), UnorderedElementsAre(a, b, c, d));
  for (const auto flow : {a, b, c}) EXPECT_DOUBLE_EQ(rates.rate(flow), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rates.rate(d), 2.0 / 3);
  EXPECT_TRUE(is_max_min_fair(rates, {a, b, c, d}, 2));
}

TEST(MaxMinRates, ADepartureAffectsFlowsThatSharedNothingWithIt) {
  // Flows a and b share link 0; b and c share link 1. When a ends, b grows to half of link 1, so c shrinks.
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

TEST(MaxMinRates, DoesNotChangeUnaffectedFlows) {
  MaxMinRates rates({1.0, 1.0});
  rates.add(Links{0});
  const auto far = rates.add(Links{1});
  rates.update();
  const auto near = rates.add(Links{0});
  EXPECT_THAT(rates.update(), ::testing::Not(::testing::Contains(far)));
  EXPECT_DOUBLE_EQ(rates.rate(near), 0.5);
  EXPECT_THAT(rates.update(), IsEmpty());
}

TEST(MaxMinRates, FlowsOverADeadLinkStopUntilTheyAreRerouted) {
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

TEST(MaxMinRates, ReportsTheFirstLinkThatLimitsAFlow) {
  MaxMinRates rates({4.0, 1.0, 2.0});
  const auto alone = rates.add(Links{0, 2});
  rates.update();
  EXPECT_EQ(rates.bottleneck(alone), 1);
  const auto narrow = rates.add(Links{0, 1, 2});
  rates.update();
  EXPECT_EQ(rates.bottleneck(narrow), 1);
  rates.set_capacity(0, 1.0);
  rates.update();
  EXPECT_EQ(rates.bottleneck(narrow), 0);
  EXPECT_EQ(rates.bottleneck(alone), 0);
}

// After any series of arrivals, departures, reroutes and failures, the rates are max-min fair and equal to
// rates computed from scratch.
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
    RC_ASSERT(is_max_min_fair(rates, alive, links));
    for (const auto flow : alive) {
      RC_ASSERT(rates.bottleneck(flow) < rates.links(flow).size());
      const std::int32_t link = rates.links(flow)[rates.bottleneck(flow)];
      double sum = 0;
      for (const auto other : alive) {
        const auto over = rates.links(other);
        sum += static_cast<double>(std::ranges::count(over, link)) * rates.rate(other);
      }
      RC_ASSERT(sum >= rates.capacity(link) * (1 - 1e-9));
    }
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

// The rate of each flow, computed from scratch by filling one link at a time.
std::vector<double> plain_rates(const std::vector<double>& capacities, const std::vector<Links>& flows) {
  constexpr double kOpen = -1;
  std::vector<double> rates(flows.size(), kOpen);
  while (std::count(rates.begin(), rates.end(), kOpen) > 0) {
    double least = std::numeric_limits<double>::infinity();
    int tightest = 0;
    for (int link = 0; link < static_cast<int>(capacities.size()); ++link) {
      double left = capacities[static_cast<std::size_t>(link)];
      int open = 0;
      for (std::size_t f = 0; f < flows.size(); ++f) {
        if (std::count(flows[f].begin(), flows[f].end(), link) == 0) continue;
        rates[f] == kOpen ? ++open : left -= rates[f];
      }
      if (open > 0 && left / open < least) {
        least = left / open;
        tightest = link;
      }
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      const bool there = std::count(flows[f].begin(), flows[f].end(), tightest) > 0;
      if (there && rates[f] == kOpen) rates[f] = std::max(least, 0.0);
    }
  }
  return rates;
}

RC_GTEST_PROP(MaxMinRates, EveryUpdateAgreesWithFillingFromScratch, ()) {
  const int links = *rc::gen::inRange(1, 20);
  std::vector<double> capacities;
  for (int i = 0; i < links; ++i) capacities.push_back(*rc::gen::inRange(0, 1000) / 7.0);
  MaxMinRates rates(capacities);
  std::vector<MaxMinRates::FlowId> alive;
  const auto any_links =
      rc::gen::resize(4, rc::gen::nonEmpty(rc::gen::unique<Links>(rc::gen::inRange(0, links))));
  for (int change = *rc::gen::inRange(1, 60); change > 0; --change) {
    const int kind = *rc::gen::inRange(0, 5);
    if (kind < 3 || alive.empty()) {
      alive.push_back(rates.add(*any_links));
    } else {
      const auto which = *rc::gen::inRange<std::size_t>(0, alive.size());
      if (kind == 3) {
        rates.reroute(alive[which], *any_links);
      } else {
        rates.remove(alive[which]);
        alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    std::vector<Links> paths;
    for (const auto flow : alive) paths.emplace_back(rates.links(flow).begin(), rates.links(flow).end());
    rates.update();
    const std::vector<double> plain = plain_rates(capacities, paths);
    for (std::size_t i = 0; i < alive.size(); ++i) {
      RC_ASSERT(std::abs(rates.rate(alive[i]) - plain[i]) <= 1e-9 * std::max(plain[i], 1.0));
    }
  }
}

// The links of a flow from `src` to `dst` in a k x k mesh, first along rows and then along columns. Each node
// has four links, numbered right, left, down and up; the injection links have the numbers after these.
Links mesh_path(int k, int src, int dst) {
  Links links{4 * k * k + src};
  int at = src;
  while (at % k != dst % k) {
    const int right = dst % k > at % k ? 1 : 0;
    links.push_back(4 * at + 1 - right);
    at += right == 1 ? 1 : -1;
  }
  while (at != dst) {
    const int down = dst > at ? 1 : 0;
    links.push_back(4 * at + 3 - down);
    at += down == 1 ? k : -k;
  }
  return links;
}

struct Work {
  double looked_at = 0;  // flows examined per update
  double changed = 0;
};

Work work_of_all_to_all(int k) {
  const int nodes = k * k;
  MaxMinRates rates(std::vector<double>(static_cast<std::size_t>(5 * nodes), 1.0));
  std::mt19937 random(1);
  std::vector<MaxMinRates::FlowId> flow(static_cast<std::size_t>(nodes));
  std::vector<int> sent(static_cast<std::size_t>(nodes), 1);
  for (int node = 0; node < nodes; ++node) {
    flow[static_cast<std::size_t>(node)] = rates.add(mesh_path(k, node, (node + 1) % nodes));
  }
  rates.update();
  Work work;
  const auto before = rates.work();
  const int updates = 20 * nodes;
  for (int update = 0; update < updates; ++update) {
    const auto node = static_cast<int>(random() % static_cast<unsigned>(nodes));
    const auto which = static_cast<std::size_t>(node);
    rates.remove(flow[which]);
    sent[which] = sent[which] % (nodes - 1) + 1;
    flow[which] = rates.add(mesh_path(k, node, (node + sent[which]) % nodes));
    work.changed += static_cast<double>(rates.update().size()) / updates;
  }
  work.looked_at = static_cast<double>(rates.work() - before) / updates;
  return work;
}

// The cost of an update depends on the number of changed flows, not on that of all flows.
TEST(MaxMinRates, VisitsFewFlowsThatDoNotChange) {
  for (const int k : {6, 14}) {
    const Work work = work_of_all_to_all(k);
    EXPECT_LE(work.looked_at, 3 * work.changed) << k;
    EXPECT_LE(work.changed, 0.5 * k * k) << k;
  }
}

}  // namespace
}  // namespace coppice::fabric
