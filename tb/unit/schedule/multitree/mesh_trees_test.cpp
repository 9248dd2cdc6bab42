#include "schedule/multitree/mesh_trees.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "machine.h"
#include "tree_laws.h"

namespace coppice::schedule {
namespace {

Machine random_mesh() {
  return mesh(
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 5), rc::gen::inRange(1, 5)));
}

RC_GTEST_PROP(DimensionTrees, AreValidOnEveryMesh, ()) {
  const Machine machine = random_mesh();
  const auto trees = dimension_trees(machine.topology, *rc::gen::inRange(1, 4), 1);
  RC_ASSERT(trees.has_value());
  require_tree_laws(machine.topology, *trees);
}

RC_GTEST_PROP(DimensionTrees, EveryPathIsAShortestPath, ()) {
  const Machine machine = random_mesh();
  int diameter = 0;
  for (const int width : machine.topology.dims()) diameter += width - 1;
  RC_ASSERT(depth_of(*dimension_trees(machine.topology, 1, 1)) == diameter);
}

TEST(DimensionTrees, ReachTheMinimumOfTimesteps) {
  for (const std::vector<int>& dims :
       {std::vector{4, 4}, {8, 8}, {3, 9}, {3, 32}, {5, 5}, {16, 16}, {7, 31}}) {
    const Machine machine = mesh(dims);
    EXPECT_EQ(dimension_trees(machine.topology, 1, 1)->steps, least_steps(machine.topology, 1))
        << machine.topology.name();
  }
  EXPECT_EQ(dimension_trees(mesh({4, 4}).topology, 2, 1)->steps, 15);
}

// Each tree visits the dimensions in cyclic order. With more than three dimensions, this may cost one
// timestep more than the minimum.
TEST(DimensionTrees, UseAllDimensionsEvenly) {
  for (const std::vector<int>& dims :
       {std::vector{2, 2, 2}, {2, 2, 2, 2}, {3, 2, 2, 2}, {2, 3, 3, 2}, {2, 2, 2, 2, 2}}) {
    const Machine machine = mesh(dims);
    EXPECT_LE(dimension_trees(machine.topology, 1, 1)->steps, least_steps(machine.topology, 1) + 1)
        << machine.topology.name();
  }
}

TEST(DimensionTrees, NeedAMesh) {
  EXPECT_EQ(dimension_trees(torus({4, 4}).topology, 1, 1), std::nullopt);
}

}  // namespace
}  // namespace coppice::schedule
