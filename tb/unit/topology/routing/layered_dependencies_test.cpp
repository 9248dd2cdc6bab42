#include "topology/routing/layered_dependencies.h"

#include <gtest/gtest.h>

#include "sample_links.h"

namespace coppice::topology {
namespace {

TEST(LayeredDependencies, RejectDependenciesThatCloseACycleInALayer) {
  Topology ring(Kind::kFile, {}, 3, 0);
  for (NodeId node = 0; node < 3; ++node) ring.add_channel(node, (node + 1) % 3, {1}, 0);
  LayeredDependencies dependencies(ring, 2);
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 2}}) {
    ASSERT_TRUE(dependencies.allows(from, to, 0));
    dependencies.add(from, to, 0);
  }
  EXPECT_FALSE(dependencies.allows(2, 0, 0));
  EXPECT_FALSE(dependencies.allows(2, 0, 0));
  EXPECT_TRUE(dependencies.allows(2, 0, 1));
  dependencies.add(2, 0, 1);
  EXPECT_TRUE(dependencies.allows(0, 1, 1));
  EXPECT_TRUE(dependencies.allows(0, 1, 0));
}

TEST(LayeredDependencies, RejectAnImmediateReturn) {
  Topology pair(Kind::kFile, {}, 2, 0);
  pair.add_channel(0, 1, {1}, 0);
  pair.add_channel(1, 0, {1}, 0);
  LayeredDependencies dependencies(pair, 1);
  ASSERT_TRUE(dependencies.allows(0, 1, 0));
  dependencies.add(0, 1, 0);
  EXPECT_FALSE(dependencies.allows(1, 0, 0));
}

}  // namespace
}  // namespace coppice::topology
