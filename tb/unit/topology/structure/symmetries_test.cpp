#include "topology/structure/symmetries.h"

#include <gmock/gmock.h>

#include <numeric>

#include "topology/networks/builders.h"

namespace coppice::topology {
namespace {

constexpr LinkSpec kLink{{16'000'000'000}, 150'000'000};

TEST(FindSymmetries, CountsRotationsAndReflections) {
  const Topology ring = make_torus(std::vector{5}, std::vector{kLink});
  EXPECT_EQ(find_symmetries(ring).size, 10);
  const Topology rectangle = make_mesh(std::vector{2, 3}, std::vector{kLink, kLink});
  EXPECT_EQ(find_symmetries(rectangle).size, 4);
  const Topology torus = make_torus(std::vector{3, 5}, std::vector{kLink, kLink});
  EXPECT_EQ(find_symmetries(torus).size, 6 * 10);
}

TEST(FindSymmetries, DistinguishesSwitchesAndLinkSpeeds) {
  const Topology star = make_switch(std::vector{4}, std::vector{kLink});
  EXPECT_EQ(find_symmetries(star).size, 24);
  EXPECT_THAT(orbits_of(star, find_symmetries(star)),
              testing::ElementsAre(testing::ElementsAre(0, 1, 2, 3), testing::ElementsAre(4)));
  Topology square(Kind::kFile, {}, 4, 0);
  for (NodeId node = 0; node < 4; ++node) {
    const Bandwidth bandwidth{node == 0 ? 1 : 16};
    square.add_channel(node, (node + 1) % 4, bandwidth, 0);
    square.add_channel((node + 1) % 4, node, bandwidth, 0);
  }
  EXPECT_THAT(orbits_of(square, find_symmetries(square)),
              testing::ElementsAre(testing::ElementsAre(0, 1), testing::ElementsAre(2, 3)));
  Topology one_way(Kind::kFile, {}, 3, 0);
  for (NodeId node = 0; node < 3; ++node) one_way.add_channel(node, (node + 1) % 3, {1}, 0);
  EXPECT_EQ(find_symmetries(one_way).size, 3);
}

// Every generator must map the set of channels onto itself.
TEST(FindSymmetries, GeneratesSymmetries) {
  const Topology torus = make_torus(std::vector{4, 3}, std::vector{kLink, kLink});
  const Symmetries symmetries = find_symmetries(torus);
  ASSERT_FALSE(symmetries.generators.empty());
  for (const auto& image : symmetries.generators) {
    for (const Channel& channel : torus.channels()) {
      int back = 0;
      for (const Channel& other : torus.channels()) {
        if (other.src == image[static_cast<std::size_t>(channel.src)] &&
            other.dst == image[static_cast<std::size_t>(channel.dst)]) {
          ++back;
        }
      }
      EXPECT_EQ(back, 1);
    }
  }
}

}  // namespace
}  // namespace coppice::topology
