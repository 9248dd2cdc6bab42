#include "schedule/multitree/torus_trees.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "machine.h"
#include "tree_laws.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(TranslatedTrees, AreValidOnEveryTorus, ()) {
  const auto dims =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 4), rc::gen::inRange(1, 6));
  const Machine machine = torus(dims);
  const auto trees = translated_trees(machine.topology, *rc::gen::inRange(1, 4), 1, 5);
  RC_ASSERT(trees.has_value());
  require_tree_laws(machine.topology, *trees);
}

TEST(TranslatedTrees, ReachTheMinimumOfTimestepsAndDepth) {
  for (const std::vector<int>& dims :
       {std::vector{4, 4}, {8, 8}, {3, 7}, {2, 4}, {16, 16}, {4, 4, 4}, {32, 32}}) {
    const Machine machine = torus(dims);
    const auto trees = translated_trees(machine.topology, 1, 1, 40);
    EXPECT_EQ(trees->steps, least_steps(machine.topology, 1)) << machine.topology.name();
    int radius = 0;
    for (const int width : dims) radius += width / 2;
    EXPECT_EQ(depth_of(*trees), radius) << machine.topology.name();
  }
}

TEST(TranslatedTrees, PiecesFillTheLastTimestep) {
  EXPECT_EQ(translated_trees(torus({4, 4}).topology, 4, 1, 40)->steps, 15);
}

TEST(TranslatedTrees, NeedATorusThatTranslates) {
  EXPECT_EQ(translated_trees(mesh({4, 4}).topology, 1, 1, 1), std::nullopt);
  topology::Topology crooked(topology::Kind::kTorus, {3}, 3, 0);
  for (const auto& [src, dst] : {std::pair{0, 1}, {1, 0}, {2, 0}}) crooked.add_channel(src, dst, {1}, 0);
  EXPECT_EQ(translated_trees(crooked, 1, 1, 1), std::nullopt);
}

}  // namespace
}  // namespace coppice::schedule
