#include "schedule/tables/node_moves.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <stdexcept>

#include "machine.h"

namespace coppice::schedule {
namespace {

std::vector<NodeId> in_order(int count) {
  std::vector<NodeId> nodes(static_cast<std::size_t>(count));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

RC_GTEST_PROP(Translations, AddTheCoordinatesOfATorus, ()) {
  const auto dims =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 5), rc::gen::inRange(1, 7));
  const Machine machine = torus(dims);
  const int n = machine.topology.num_accelerators();
  const Translations moves(dims, in_order(n));
  const NodeId node = *rc::gen::inRange(0, n);
  const NodeId to = *rc::gen::inRange(0, n);
  auto at = machine.topology.coordinates(node);
  const auto by = machine.topology.coordinates(to);
  for (std::size_t d = 0; d < at.size(); ++d) at[d] = (at[d] + by[d]) % dims[d];
  RC_ASSERT(moves.moved(node, to) == machine.topology.node_at(at));
  RC_ASSERT(moves.moved_back(moves.moved(node, to), to) == node);
  RC_ASSERT(moves.moved(moves.origin(), to) == to);
}

TEST(Translations, MoveAlongARing) {
  const Translations ring({4}, {2, 0, 3, 1});
  EXPECT_EQ(ring.origin(), 2);
  EXPECT_EQ(ring.moved(0, 3), 1);  // two positions on from position 1
  EXPECT_EQ(ring.moved(1, 0), 2);  // wraps around the ring
  EXPECT_EQ(ring.moved_back(2, 1), 0);
}

TEST(Translations, FlipBitsOnRequest) {
  const Translations moves({3, 4}, in_order(12), {false, true});
  const auto at = [](int x, int y) { return static_cast<NodeId>(y * 3 + x); };
  EXPECT_EQ(moves.moved(at(2, 1), at(2, 3)), at(1, 2));
  EXPECT_EQ(moves.moved_back(at(1, 2), at(2, 3)), at(2, 1));
  EXPECT_THROW(Translations({3, 4}, in_order(12), {true, true}), std::invalid_argument);
  EXPECT_THROW(Translations({3, 4}, in_order(12), {true}), std::invalid_argument);
}

TEST(Translations, ReachTheWidestDimension) {
  const Translations wide({Translations::kMostWide}, in_order(Translations::kMostWide));
  EXPECT_EQ(wide.moved(Translations::kMostWide - 1, Translations::kMostWide - 1),
            Translations::kMostWide - 2);
  EXPECT_EQ(wide.moved_back(0, Translations::kMostWide - 1), 1);
}

TEST(Translations, NeedEveryNodeExactlyOnce) {
  EXPECT_THROW(Translations({2, 2}, {0, 1, 2, 2}), std::invalid_argument);
  EXPECT_THROW(Translations({2, 2}, {0, 1, 2, 4}), std::invalid_argument);
  EXPECT_THROW(Translations({2, 2}, {0, 1, 2}), std::invalid_argument);
  EXPECT_THROW(Translations({0}, {}), std::invalid_argument);
  EXPECT_THROW(Translations({}, {0}), std::invalid_argument);
  EXPECT_THROW(Translations({1, 1, 1, 1, 1}, {0}), std::invalid_argument);
}

}  // namespace
}  // namespace coppice::schedule
