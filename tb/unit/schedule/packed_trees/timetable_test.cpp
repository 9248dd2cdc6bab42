#include "schedule/packed_trees/timetable.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace coppice::schedule {
namespace {

// Random hops with dependencies between them. Each takes one slot and uses up to three resources.
std::vector<TimetableHop> random_hops(std::int32_t resources) {
  std::vector<TimetableHop> hops(static_cast<std::size_t>(*rc::gen::inRange(1, 30)));
  for (std::size_t h = 0; h < hops.size(); ++h) {
    const int most = *rc::gen::inRange(1, 4);
    for (int i = 0; i < most; ++i) {
      const std::int32_t resource = *rc::gen::inRange(0, resources);
      if (std::ranges::find(hops[h].uses, resource, &TimetableHop::Use::resource) != hops[h].uses.end())
        continue;
      hops[h].uses.push_back({.resource = resource});
    }
    hops[h].way = *rc::gen::inRange(1, 5);
    if (h > 0 && *rc::gen::inRange(0, 3) > 0) {
      hops[static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(h)))].next.push_back(
          static_cast<std::int32_t>(h));
      hops[h].awaits = 1;
    }
  }
  return hops;
}

// The time at which one piece uses a resource, and the number of routers before it on the piece's path.
struct Passage {
  std::int64_t begin;
  std::int32_t routers;
};

RC_GTEST_PROP(Timetable, SeparatesMessagesOfAllPieces, ()) {
  constexpr std::int32_t kResources = 6;
  constexpr int kPieces = 4;
  std::vector<TimetableHop> hops = random_hops(kResources);
  const bool ways = *rc::gen::arbitrary<bool>();
  const Distance distance = ways ? Distance{1000, 20} : Distance{};
  for (TimetableHop& hop : hops) {
    for (std::size_t i = 0; ways && i < hop.uses.size(); ++i) {
      hop.uses[i].offset = 155 * static_cast<Femtoseconds>(i);
      hop.uses[i].routers = static_cast<std::int32_t>(i);
    }
  }
  const auto timetable = make_timetable(hops, kResources, distance, 4);
  RC_ASSERT(timetable.has_value());
  const Femtoseconds slot = ways ? distance.slot : 1;
  std::vector<std::vector<Passage>> passages(kResources);
  for (std::size_t h = 0; h < hops.size(); ++h) {
    for (const std::int32_t next : hops[h].next) {
      RC_ASSERT(timetable->starts[static_cast<std::size_t>(next)] >= timetable->starts[h] + hops[h].way);
    }
    RC_ASSERT(timetable->starts[h] < timetable->last);
    for (int piece = 0; piece < kPieces; ++piece) {
      const std::int64_t start = timetable->starts[h] + std::int64_t{piece} * timetable->period;
      for (const TimetableHop::Use& use : hops[h].uses) {
        passages[static_cast<std::size_t>(use.resource)].push_back({start * slot + use.offset, use.routers});
      }
    }
  }
  for (const std::vector<Passage>& all : passages) {
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const std::int64_t apart = std::abs(all[a].begin - all[b].begin);
        RC_ASSERT(apart >= slot + distance.guard * std::abs(all[a].routers - all[b].routers));
      }
    }
  }
}

// The edges of a bipartite graph can be coloured with as many colours as its maximum degree (König's
// theorem). Messages between a switch's ports therefore need only as many slots as the busiest port has
// messages.
RC_GTEST_PROP(Timetable, TakesNoLongerThanTheBusiestPortOfASwitch, ()) {
  constexpr std::int32_t kPorts = 6;
  std::vector<TimetableHop> hops(static_cast<std::size_t>(*rc::gen::inRange(4, 40)));
  std::vector<std::int32_t> load(2 * kPorts, 0);
  for (TimetableHop& hop : hops) {
    const std::int32_t from = *rc::gen::inRange(0, kPorts);
    const std::int32_t to = kPorts + *rc::gen::inRange(0, kPorts);
    hop.uses = {{.resource = from}, {.resource = to}};
    ++load[static_cast<std::size_t>(from)];
    ++load[static_cast<std::size_t>(to)];
  }
  const auto timetable = make_timetable(hops, 2 * kPorts, {}, 0.1);
  RC_ASSERT(timetable.has_value());
  RC_ASSERT(timetable->period <= std::ranges::max(load) + 1);
}

TEST(Timetable, IsDeterministic) {
  std::vector<TimetableHop> hops(12);
  for (std::size_t h = 0; h < hops.size(); ++h) {
    hops[h].uses = {{.resource = static_cast<std::int32_t>(h % 3)}, {.resource = 3}};
  }
  const auto once = make_timetable(hops, 4, {}, 0.1);
  const auto again = make_timetable(hops, 4, {}, 0.1);
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->period, 12);
  EXPECT_EQ(once->starts, again->starts);
}

}  // namespace
}  // namespace coppice::schedule
