#include "system/program/folding/quotient_network.h"

#include <array>

#include <gtest/gtest.h>

#include "topology/networks/hierarchy.h"
#include "topology/routing/network_mapping.h"

namespace coppice::system {
namespace {

using topology::DimensionKind;
using topology::NodeId;

constexpr Bandwidth kLink{16'000'000'000};

// `count` boxes of two accelerators. Accelerators of the same rank also share a switch.
topology::Topology boxes(int count) {
  const std::array<topology::DimensionSpec, 2> dimensions{
      topology::DimensionSpec{.kind = DimensionKind::kSwitch, .size = 2, .bandwidth = kLink, .latency = 100},
      topology::DimensionSpec{
          .kind = DimensionKind::kSwitch, .size = count, .bandwidth = kLink, .latency = 200}};
  return topology::make_hierarchy(dimensions);
}

TEST(QuotientNetwork, KeepsOneBoxAndTheSharedSwitches) {
  const topology::Topology machine = boxes(3);
  const std::vector<std::vector<NodeId>> copies{{0, 1}, {2, 3}, {4, 5}};
  const auto quotient = QuotientNetwork::find(machine, copies);
  ASSERT_NE(quotient, nullptr);
  EXPECT_EQ(quotient->topology().num_accelerators(), 2);
  EXPECT_EQ(quotient->topology().num_switches(), 3);  // the switch of one box and one switch per rank
  EXPECT_EQ(quotient->topology().channels().size(), 8U);
  EXPECT_EQ(quotient->node(5), 1);
  EXPECT_EQ(quotient->copy(5), 2);
  // In the quotient, the route from accelerator 0 to 4 over their shared switch becomes a route from
  // accelerator 0 to itself.
  const auto routing = topology::make_routing(machine, 2);
  const topology::Route route = topology::machine_route(machine, *routing, 0, 4, 2);
  const auto image = quotient->image(0, route);
  ASSERT_TRUE(image);
  ASSERT_EQ(image->size(), route.size());
  NodeId at = 0;
  for (std::size_t hop = 0; hop + 1 < image->size(); ++hop) {
    const auto id = quotient->topology().out_channels(at)[(*image)[hop].out_port];
    at = quotient->topology().channel(id).dst;
  }
  EXPECT_EQ(at, 0);
  // The corresponding routes of all copies have the same image.
  EXPECT_EQ(quotient->image(2, topology::machine_route(machine, *routing, 2, 0, 2)), image);
}

TEST(QuotientNetwork, MapsEveryChannelOfACopyToOne) {
  const topology::Topology machine = boxes(4);
  const std::vector<std::vector<NodeId>> copies{{0, 1, 2, 3}, {4, 5, 6, 7}};
  const auto quotient = QuotientNetwork::find(machine, copies);
  ASSERT_NE(quotient, nullptr);
  std::vector<int> images(quotient->topology().channels().size(), 0);
  for (std::size_t id = 0; id < machine.channels().size(); ++id) {
    const auto image = quotient->channel(static_cast<topology::ChannelId>(id));
    ASSERT_GE(image, 0);
    ++images[static_cast<std::size_t>(image)];
    const topology::Channel& channel = machine.channels()[id];
    const topology::Channel& there = quotient->topology().channel(image);
    EXPECT_EQ(there.src, quotient->node(channel.src));
    EXPECT_EQ(there.dst, quotient->node(channel.dst));
    EXPECT_EQ(there.latency, channel.latency);
  }
  EXPECT_TRUE(std::ranges::all_of(images, [](int count) { return count == 2; }));
}

TEST(QuotientNetwork, RefusesCopiesThatDiffer) {
  const topology::Topology machine = boxes(4);
  // In the first copy, ranks 0 and 1 share a box; in the second copy, they do not.
  EXPECT_EQ(QuotientNetwork::find(machine, std::vector<std::vector<NodeId>>{{0, 1, 2, 3}, {4, 6, 5, 7}}),
            nullptr);
  // Accelerator 1 belongs to two copies.
  EXPECT_EQ(QuotientNetwork::find(machine, std::vector<std::vector<NodeId>>{{0, 1}, {1, 2}}), nullptr);
  // The second copy has a slower link than the first.
  topology::Topology graph(topology::Kind::kFile, {}, 4, 0);
  graph.add_channel(0, 1, kLink, 0);
  graph.add_channel(2, 3, Bandwidth{8'000'000'000}, 0);
  EXPECT_EQ(QuotientNetwork::find(graph, std::vector<std::vector<NodeId>>{{0, 1}, {2, 3}}), nullptr);
}

TEST(QuotientNetwork, RefusesDirectChannelsBetweenImages) {
  const std::array<int, 1> dims{4};
  const std::array<topology::LinkSpec, 1> links{topology::LinkSpec{kLink, 0}};
  const topology::Topology ring = topology::make_torus(dims, links);
  EXPECT_EQ(QuotientNetwork::find(ring, std::vector<std::vector<NodeId>>{{0}, {1}, {2}, {3}}), nullptr);
}

}  // namespace
}  // namespace coppice::system
