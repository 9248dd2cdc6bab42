#include "schedule/compile/bipartite_matching.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace coppice::schedule {
namespace {

// The reference: the maximum number of items that can be assigned distinct slots, by exhaustive search.
int most_matched(const std::vector<unsigned>& slots_of, std::size_t item, unsigned taken) {
  if (item == slots_of.size()) return std::popcount(taken);
  int most = most_matched(slots_of, item + 1, taken);
  for (unsigned slots = slots_of[item] & ~taken; slots != 0; slots &= slots - 1) {
    most = std::max(most, most_matched(slots_of, item + 1, taken | (slots & -slots)));
  }
  return most;
}

RC_GTEST_PROP(Assignment, MatchesAsManyAsPossibleAndPrefersTheFirst, ()) {
  const auto slots_of = *rc::gen::container<std::vector<unsigned>>(*rc::gen::inRange<std::size_t>(0, 7),
                                                                   rc::gen::inRange(0U, 16U));
  Assignment assignment(4);
  std::vector<unsigned> accepted;
  for (std::size_t item = 0; item < slots_of.size(); ++item) {
    const bool added = assignment.add(static_cast<std::int32_t>(item), [&](std::int32_t i, auto&& visit) {
      for (std::size_t slot = 0; slot < 4; ++slot) {
        if ((slots_of[static_cast<std::size_t>(i)] >> slot & 1U) != 0 && visit(slot)) return;
      }
    });
    auto with = accepted;
    with.push_back(slots_of[item]);
    const bool fits = most_matched(with, 0, 0) == static_cast<int>(with.size());
    RC_ASSERT(added == fits);
    if (added) accepted = with;
  }
  RC_ASSERT(static_cast<int>(accepted.size()) == most_matched(slots_of, 0, 0));
  RC_ASSERT(assignment.full() == (accepted.size() == 4));
  for (std::size_t slot = 0; slot < 4; ++slot) {
    const std::int32_t item = assignment[slot];
    if (item >= 0) RC_ASSERT((slots_of[static_cast<std::size_t>(item)] >> slot & 1U) != 0U);
  }
}

}  // namespace
}  // namespace coppice::schedule
