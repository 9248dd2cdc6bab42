#include "fabric/wires/arrival_calendar.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace coppice::fabric {
namespace {

constexpr Cycles kNone = -1;

// Compares the calendar with a map of sets. Each arrival must be served exactly in its own cycle, even if its
// delay exceeds the calendar's initial length.
RC_GTEST_PROP(ArrivalCalendar, ServesEveryLineInItsCycle, ()) {
  const int lines = *rc::gen::inRange(1, 150);
  ArrivalCalendar calendar;
  calendar.set_lines(lines);
  std::map<Cycles, std::set<int>> expected;
  Cycles now = 0;
  const int rounds = *rc::gen::inRange(1, 60);
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> served;
    calendar.serve(now, [&](int line) { served.push_back(line); });
    const std::set<int>& due = expected[now];
    RC_ASSERT(served == std::vector<int>(due.begin(), due.end()));
    expected.erase(now);
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      const Cycles at = now + *rc::gen::inRange(1, 700);
      const int line = *rc::gen::inRange(0, lines);
      calendar.add(at, line);
      expected[at].insert(line);
    }
    RC_ASSERT(calendar.next(kNone) == (expected.empty() ? kNone : expected.begin()->first));
    if (expected.empty()) break;
    now = expected.begin()->first;
  }
}

TEST(ArrivalCalendar, ForgetsServedArrivals) {
  ArrivalCalendar calendar;
  calendar.add(3, 5);
  calendar.serve(3, [](int line) { EXPECT_EQ(line, 5); });
  EXPECT_EQ(calendar.next(kNone), kNone);
  calendar.serve(3 + 64, [](int) { FAIL(); });
}

}  // namespace
}  // namespace coppice::fabric
