#include "ni/memory/contribution_sets.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

namespace coppice::ni {
namespace {

using Members = std::set<int>;

std::vector<std::uint64_t> words_of(const Members& members, std::size_t words) {
  std::vector<std::uint64_t> set(words, 0);
  for (const int member : members)
    set[static_cast<std::size_t>(member) / 64] |= std::uint64_t{1} << (member % 64);
  return set;
}

Members members_of(const ContributionSets& sets, std::size_t segment) {
  std::vector<std::uint64_t> set(sets.words(), ~std::uint64_t{0});
  sets.read(segment, set.data());
  Members members;
  for (std::size_t bit = 0; bit < set.size() * 64; ++bit) {
    if ((set[bit / 64] >> (bit % 64) & 1U) != 0) members.insert(static_cast<int>(bit));
  }
  return members;
}

// A random set with no, few, many or all members, which are contiguous or scattered.
Members random_members(int accelerators) {
  const int count = *rc::gen::element(0, 1, 2, 15, 16, accelerators / 2, accelerators);
  const int first = *rc::gen::inRange(0, accelerators);
  const int stride = *rc::gen::element(1, 1, 7);
  Members members;
  for (int i = 0; i < count; ++i)
    members.insert(static_cast<int>((first + std::int64_t{i} * stride) % accelerators));
  return members;
}

RC_GTEST_PROP(ContributionSets, AreSets, ()) {
  const int accelerators = *rc::gen::element(1, 63, 64, 65, 256, 257, 300, 1024, 5000, 70'000);
  const int self = *rc::gen::inRange(0, accelerators);
  const std::size_t segments = *rc::gen::inRange<std::size_t>(1, 5);
  ContributionSets sets(segments, accelerators, self);
  std::vector<Members> model(segments, {self});
  const int changes = *rc::gen::inRange(0, 30);
  for (int change = 0; change < changes; ++change) {
    const auto segment = *rc::gen::inRange<std::size_t>(0, segments);
    Members& mine = model[segment];
    const Members other = random_members(accelerators);
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        sets.fill(segment);
        for (int a = 0; a < accelerators; ++a) mine.insert(a);
        break;
      case 1:
        sets.clear(segment);
        mine.clear();
        break;
      case 2:
        sets.assign(segment, words_of(other, sets.words()).data());
        mine = other;
        break;
      default: {
        std::vector<int> both;
        std::ranges::set_intersection(mine, other, std::back_inserter(both));
        const auto twice = sets.unite(segment, words_of(other, sets.words()).data());
        RC_ASSERT(twice == (both.empty() ? -1 : both.front()));
        if (both.empty()) mine.insert(other.begin(), other.end());
      }
    }
    for (std::size_t s = 0; s < segments; ++s) {
      RC_ASSERT(members_of(sets, s) == model[s]);
      RC_ASSERT(sets.is_full(s) == (model[s].size() == static_cast<std::size_t>(accelerators)));
    }
  }
}

// Large runs keep one set per accelerator per segment, so the most frequent sets (own gradient only, or all
// gradients) must need little memory.
TEST(ContributionSets, OfOneOrAllNeedFourBytes) {
  ContributionSets sets(1000, 1024, 7);
  EXPECT_EQ(sets.bytes(), 4000U);
  std::vector<std::uint64_t> others(16, ~std::uint64_t{0});
  others[0] &= ~(std::uint64_t{1} << 7);
  for (std::size_t segment = 0; segment < 1000; ++segment) EXPECT_EQ(sets.unite(segment, others.data()), -1);
  EXPECT_TRUE(sets.is_full(999));
  EXPECT_EQ(sets.bytes(), 4000U);
}

TEST(ContributionSets, ListFewOfUpTo65536Accelerators) {
  ContributionSets sets(1, 65'536, 0);
  std::vector<std::uint64_t> two(1024, 0);
  two.back() = std::uint64_t{1} << 63;
  EXPECT_EQ(sets.unite(0, two.data()), -1);
  EXPECT_EQ(sets.bytes(), 4U + 32U);
  std::vector<std::uint64_t> read(1024);
  sets.read(0, read.data());
  two.front() = 1;
  EXPECT_EQ(read, two);
}

// New sets reuse the storage of released sets, so memory does not grow.
TEST(ContributionSets, ReuseSlots) {
  ContributionSets sets(2, 1024, 0);
  std::vector<std::uint64_t> many(16, 1);
  for (int turn = 0; turn < 100; ++turn) {
    sets.assign(0, many.data());
    sets.fill(0);
    sets.assign(1, std::vector<std::uint64_t>{6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}.data());
    sets.clear(1);
  }
  EXPECT_EQ(sets.bytes(), 2 * 4U + 16 * 8U + 32U);
}

}  // namespace
}  // namespace coppice::ni
