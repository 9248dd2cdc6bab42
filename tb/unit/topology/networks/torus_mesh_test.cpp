#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "base/error.h"
#include "sample_dims.h"
#include "sample_links.h"
#include "topology/topology.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST(TorusMesh, OutChannelsGoUpThenDownDimensionByDimension) {
  EXPECT_THAT(neighbours(sample_torus({4, 4}), 0), ElementsAre(1, 3, 4, 12));
  EXPECT_THAT(neighbours(sample_torus({3, 5}), 7), ElementsAre(8, 6, 10, 4));
  EXPECT_THAT(neighbours(sample_mesh({4, 4}), 0), ElementsAre(1, 4));
  EXPECT_THAT(neighbours(sample_mesh({4, 4}), 5), ElementsAre(6, 4, 9, 1));
  EXPECT_THAT(neighbours(sample_mesh({4, 4}), 15), ElementsAre(14, 11));
}

TEST(TorusMesh, NarrowDimensions) {
  EXPECT_THAT(neighbours(sample_torus({2, 2}), 0), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(neighbours(sample_mesh({2, 2}), 0), ElementsAre(1, 2));
  EXPECT_THAT(neighbours(sample_torus({1, 3}), 0), ElementsAre(1, 2));
  EXPECT_THAT(neighbours(sample_torus({1}), 0), IsEmpty());
  EXPECT_THAT(neighbours(sample_mesh({1, 1}), 0), IsEmpty());
}

TEST(TorusMesh, LinksHaveTheirDimension) {
  const std::vector<LinkSpec> links{{{25}, 3}, {{50}, 7}};
  const Topology topology = make_torus(std::vector{3, 3}, links);
  for (const Channel& channel : topology.channels()) {
    EXPECT_EQ(channel.bandwidth, links[static_cast<std::size_t>(channel.dimension)].bandwidth);
    EXPECT_EQ(channel.latency, links[static_cast<std::size_t>(channel.dimension)].latency);
  }
  EXPECT_EQ(topology.channel(topology.out_channels(4)[2]).dimension, 1);
}

TEST(TorusMesh, RejectsInvalidDims) {
  using Dims = std::vector<int>;
  EXPECT_THAT([] { sample_torus({}); }, ThrowsMessage<UnsupportedError>(HasSubstr("at least one dimension")));
  EXPECT_THAT([] { sample_mesh({4, 0}); }, ThrowsMessage<UnsupportedError>(HasSubstr("width 0")));
  EXPECT_THAT([] { sample_mesh({-4}); }, ThrowsMessage<UnsupportedError>(HasSubstr("width -4")));
  EXPECT_THAT(
      [] {
        sample_torus({100000, 100000, 100000, 100000, 100000});
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("too large")));
  EXPECT_THAT([] { sample_torus(Dims(33, 1)); }, ThrowsMessage<UnsupportedError>(HasSubstr("at most 32")));
  EXPECT_THAT(
      [] {
        make_mesh(Dims{4, 4}, sample_links(1));
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("one link specification for each, not 1")));
}

RC_GTEST_PROP(TorusMesh, CoordinatesNeighboursAndPortsAgree, ()) {
  const auto dims = random_dims(3, 5);
  const bool torus = *rc::gen::arbitrary<bool>();
  const Topology topology = torus ? sample_torus(dims) : sample_mesh(dims);
  RC_ASSERT(topology.num_nodes() == std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()));

  std::size_t expected = 0;
  for (const int width : dims) {
    const int per_line = width == 1 ? 0 : 2 * (torus ? width : width - 1);
    expected += static_cast<std::size_t>(topology.num_nodes() / width * per_line);
  }
  RC_ASSERT(topology.channels().size() == expected);

  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    RC_ASSERT(topology.node_at(topology.coordinates(node)) == node);
    RC_ASSERT(topology.out_channels(node).size() == topology.in_channels(node).size());
  }
  for (std::size_t i = 0; i < topology.channels().size(); ++i) {
    const Channel& channel = topology.channels()[i];
    const auto id = static_cast<ChannelId>(i);
    RC_ASSERT(topology.out_channels(channel.src)[static_cast<std::size_t>(channel.src_port)] == id);
    RC_ASSERT(topology.in_channels(channel.dst)[static_cast<std::size_t>(channel.dst_port)] == id);
    const auto from = topology.coordinates(channel.src);
    const auto to = topology.coordinates(channel.dst);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const int step = std::abs(from[d] - to[d]);
      if (static_cast<int>(d) != channel.dimension) {
        RC_ASSERT(step == 0);
      } else {
        RC_ASSERT(step == 1 || (torus && step == dims[d] - 1));
      }
    }
  }
}

}  // namespace
}  // namespace coppice::topology
