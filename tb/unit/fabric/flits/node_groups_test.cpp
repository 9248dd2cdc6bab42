#include "fabric/flits/node_groups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "topology/networks/builders.h"

namespace coppice::fabric {
namespace {

TEST(NodeGroups, HaveAdjacentNumbersAndAreNotEmpty) {
  const topology::LinkSpec link{{16'000'000'000}, 150'000'000};
  for (const int nodes : {1, 2, 3, 7, 16, 33}) {
    const topology::Topology ring = topology::make_ring(std::vector{nodes}, std::vector{link});
    for (const int groups : {1, 2, 3, 4, 8, 100}) {
      const std::vector<int> group_of = group_nodes(ring, groups);
      ASSERT_EQ(group_of.size(), static_cast<std::size_t>(nodes));
      EXPECT_EQ(group_of.front(), 0);
      EXPECT_EQ(group_of.back(), std::min(groups, nodes) - 1) << nodes << " nodes, " << groups << " groups";
      for (std::size_t node = 1; node < group_of.size(); ++node) {
        EXPECT_GE(group_of[node], group_of[node - 1]);
        EXPECT_LE(group_of[node], group_of[node - 1] + 1);
      }
    }
  }
}

TEST(NodeGroups, HaveSimilarAmountsOfWork) {
  const topology::LinkSpec link{{16'000'000'000}, 150'000'000};
  const topology::Topology torus = topology::make_torus(std::vector{16, 16}, std::vector{link, link});
  for (const int groups : {2, 3, 4, 8}) {
    const std::vector<int> group_of = group_nodes(torus, groups);
    for (int group = 0; group < groups; ++group) {
      const auto size = std::count(group_of.begin(), group_of.end(), group);
      EXPECT_NEAR(static_cast<double>(size), 256.0 / groups, 1);
    }
  }
}

}  // namespace
}  // namespace coppice::fabric
