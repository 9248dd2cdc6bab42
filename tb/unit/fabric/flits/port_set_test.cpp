#include "fabric/flits/port_set.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace coppice::fabric {
namespace {

using ::testing::ElementsAre;

std::vector<int> members(const PortSet& set) {
  std::vector<int> ports;
  set.for_each([&](int port) { ports.push_back(port); });
  return ports;
}

TEST(PortSet, IsEmptyAtFirst) {
  EXPECT_TRUE(PortSet().empty());
  EXPECT_TRUE(PortSet(200).empty());
  EXPECT_FALSE(PortSet(200).contains(199));
}

TEST(PortSet, FirstFromWrapsAround) {
  PortSet set(130);
  set.insert(3);
  set.insert(64);
  set.insert(129);
  EXPECT_EQ(set.first_from(0), 3);
  EXPECT_EQ(set.first_from(3), 3);
  EXPECT_EQ(set.first_from(4), 64);
  EXPECT_EQ(set.first_from(65), 129);
  set.erase(129);
  EXPECT_EQ(set.first_from(65), 3);
  EXPECT_EQ(set.first_from(129), 3);
}

TEST(PortSet, FirstFromReturnsToTheFirstWord) {
  PortSet set(128);
  set.insert(65);
  EXPECT_EQ(set.first_from(70), 65);
}

TEST(PortSet, ForEachMayEraseTheMemberItVisits) {
  PortSet set(100);
  for (const int port : {0, 63, 64, 99}) set.insert(port);
  std::vector<int> seen;
  set.for_each([&](int port) {
    seen.push_back(port);
    set.erase(port);
  });
  EXPECT_THAT(seen, ElementsAre(0, 63, 64, 99));
  EXPECT_TRUE(set.empty());
}

// Compares the first port found in a one-word set with a linear search from the same position.
RC_GTEST_PROP(PortWord, FindsTheFirstFromAnyPosition, ()) {
  PortWord word;
  std::set<int> expected;
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    const int port = *rc::gen::inRange(0, 64);
    word.insert(port);
    expected.insert(port);
  }
  const int from = *rc::gen::inRange(0, 64);
  const auto at = expected.lower_bound(from);
  RC_ASSERT(word.first_from(from) == (at == expected.end() ? *expected.begin() : *at));
  std::vector<int> seen;
  word.for_each([&](int port) { seen.push_back(port); });
  RC_ASSERT(seen == std::vector<int>(expected.begin(), expected.end()));
  const int gone = *expected.begin();
  word.erase(gone);
  RC_ASSERT(!word.contains(gone));
  RC_ASSERT(word.empty() == (expected.size() == 1));
}

// Compares a PortSet of one or several words with std::set.
RC_GTEST_PROP(PortSet, BehavesLikeASet, ()) {
  const int ports = *rc::gen::inRange(1, 200);
  const auto port = rc::gen::inRange(0, ports);
  PortSet set(ports);
  std::set<int> model;
  for (const auto& [insert, p] : *rc::gen::container<std::vector<std::pair<bool, int>>>(
           rc::gen::pair(rc::gen::arbitrary<bool>(), port))) {
    if (insert) {
      set.insert(p);
      model.insert(p);
    } else {
      set.erase(p);
      model.erase(p);
    }
  }
  RC_ASSERT(members(set) == std::vector<int>(model.begin(), model.end()));
  RC_ASSERT(set.empty() == model.empty());
  for (int p = 0; p < ports; ++p) RC_ASSERT(set.contains(p) == model.contains(p));
  for (int from = 0; from < ports && !model.empty(); ++from) {
    const auto above = model.lower_bound(from);
    RC_ASSERT(set.first_from(from) == (above != model.end() ? *above : *model.begin()));
  }
  set.clear();
  RC_ASSERT(set.empty());
}

}  // namespace
}  // namespace coppice::fabric
