#include "topology/topology.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Bandwidth kBandwidth{1'000'000'000};

TEST(Topology, NumbersPortsInOrderOfAddition) {
  Topology topology(Kind::kFile, {}, 2, 1);
  EXPECT_EQ(topology.add_channel(0, 2, kBandwidth, 5), 0);
  EXPECT_EQ(topology.add_channel(1, 2, kBandwidth, 5), 1);
  EXPECT_EQ(topology.add_channel(0, 2, kBandwidth, 5), 2);
  EXPECT_THAT(topology.out_channels(0), ElementsAre(0, 2));
  EXPECT_THAT(topology.in_channels(2), ElementsAre(0, 1, 2));
  EXPECT_EQ(topology.channel(2).src_port, 1);
  EXPECT_EQ(topology.channel(2).dst_port, 2);
  EXPECT_EQ(topology.channel(2).latency, 5);
}

TEST(Topology, SwitchesFollowAccelerators) {
  const Topology topology(Kind::kFile, {}, 2, 3);
  EXPECT_EQ(topology.num_nodes(), 5);
  EXPECT_EQ(topology.num_switches(), 3);
  EXPECT_TRUE(topology.is_accelerator(1));
  EXPECT_FALSE(topology.is_accelerator(2));
}

TEST(Topology, HasAName) {
  EXPECT_EQ(Topology(Kind::kTorus, {4, 8}, 32, 0).name(), "torus 4x8");
  EXPECT_EQ(Topology(Kind::kFile, {}, 2, 3).name(), "file of 2 accelerators and 3 switches");
}

TEST(Topology, RejectsImpossibleChannels) {
  Topology topology(Kind::kFile, {}, 2, 1);
  const auto adding = [&](NodeId src, NodeId dst, Bandwidth bandwidth, Femtoseconds latency) {
    return [&topology, src, dst, bandwidth, latency] { topology.add_channel(src, dst, bandwidth, latency); };
  };
  EXPECT_THAT(adding(0, 3, kBandwidth, 0),
              ThrowsMessage<UnsupportedError>(HasSubstr("the nodes are numbered 0 to 2")));
  EXPECT_THAT(adding(-1, 0, kBandwidth, 0), ThrowsMessage<UnsupportedError>(HasSubstr("channel -1->0")));
  EXPECT_THAT(adding(1, 1, kBandwidth, 0), ThrowsMessage<UnsupportedError>(HasSubstr("to itself")));
  EXPECT_THAT(adding(0, 1, {}, 0), ThrowsMessage<UnsupportedError>(HasSubstr("bandwidth")));
  EXPECT_THAT(adding(0, 1, kBandwidth, -1), ThrowsMessage<UnsupportedError>(HasSubstr("latency")));
  EXPECT_TRUE(topology.channels().empty());
}

TEST(Topology, NeedsAnAccelerator) {
  EXPECT_THAT([] { Topology(Kind::kFile, {}, 0, 3); },
              ThrowsMessage<UnsupportedError>(HasSubstr("at least 1 accelerator")));
}

}  // namespace
}  // namespace coppice::topology
