#include "topology/structure/likeness.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

#include "topology/networks/builders.h"

namespace coppice::topology {
namespace {

constexpr LinkSpec kFast{{50'000'000'000}, 200'000'000};
constexpr LinkSpec kSlow{{16'000'000'000}, 500'000'000};

// Writes the network as a graph with renumbered nodes and reordered channels.
Topology written_as_graph(const Topology& network, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<NodeId> nodes(static_cast<std::size_t>(network.num_nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  std::shuffle(nodes.begin(), nodes.begin() + network.num_accelerators(), random);
  std::shuffle(nodes.begin() + network.num_accelerators(), nodes.end(), random);
  std::vector<Channel> channels(network.channels().begin(), network.channels().end());
  std::ranges::shuffle(channels, random);
  Topology graph(Kind::kFile, {}, network.num_accelerators(), network.num_switches());
  for (const Channel& channel : channels) {
    graph.add_channel(nodes[static_cast<std::size_t>(channel.src)],
                      nodes[static_cast<std::size_t>(channel.dst)], channel.bandwidth, channel.latency);
  }
  return graph;
}

using Channels = std::vector<std::tuple<NodeId, NodeId, std::int64_t, Femtoseconds>>;

Channels channels_at(const Topology& topology, const std::vector<NodeId>& nodes) {
  Channels channels;
  for (const Channel& channel : topology.channels()) {
    channels.emplace_back(nodes[static_cast<std::size_t>(channel.src)],
                          nodes[static_cast<std::size_t>(channel.dst)], channel.bandwidth.bytes_per_second,
                          channel.latency);
  }
  std::ranges::sort(channels);
  return channels;
}

Channels channels_of(const Topology& topology) {
  std::vector<NodeId> nodes(static_cast<std::size_t>(topology.num_nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  return channels_at(topology, nodes);
}

// Requires that find_likeness() recognises `network` in its graph and maps every channel correctly.
void expect_found(const Topology& network) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Topology graph = written_as_graph(network, seed);
    const auto likeness = find_likeness(graph);
    EXPECT_EQ(likeness->network.kind(), network.kind()) << network.name();
    EXPECT_THAT(likeness->network.dims(), testing::UnorderedElementsAreArray(network.dims()));
    EXPECT_EQ(channels_at(likeness->network, likeness->nodes), channels_of(graph)) << network.name();
    for (NodeId node = 0; node < graph.num_nodes(); ++node) {
      const NodeId member = likeness->members[static_cast<std::size_t>(node)];
      EXPECT_EQ(likeness->nodes[static_cast<std::size_t>(member)], node);
    }
  }
}

Topology torus(const std::vector<int>& dims, const std::vector<LinkSpec>& links) {
  return make_torus(dims, links);
}

TEST(FindLikeness, RecognisesToriAndMeshes) {
  expect_found(torus({4, 4}, {kFast, kFast}));
  expect_found(torus({3, 5}, {kFast, kFast}));
  expect_found(torus({2, 3, 4}, {kFast, kFast, kFast}));
  expect_found(torus({4, 4, 8}, {kFast, kFast, kSlow}));
  expect_found(torus({8}, {kSlow}));
  expect_found(make_mesh(std::vector{4, 6}, std::vector{kFast, kFast}));
  expect_found(make_mesh(std::vector{3, 2, 4}, std::vector{kFast, kSlow, kFast}));
}

TEST(FindLikeness, RecognisesFullyConnectedGroups) {
  expect_found(make_fully_connected(std::vector{6}, std::vector{kFast}));
}

TEST(FindLikeness, RecognisesHierarchies) {
  const DimensionSpec box{
      .kind = DimensionKind::kSwitch, .size = 8, .bandwidth = kFast.bandwidth, .latency = kFast.latency};
  DimensionSpec rail = box;
  rail.size = 4;
  rail.bandwidth = kSlow.bandwidth;
  expect_found(make_hierarchy(std::vector{box, rail}));
  expect_found(make_hierarchy(std::vector{box, box}));
  DimensionSpec ring = rail;
  ring.kind = DimensionKind::kRing;
  ring.links = 2;
  expect_found(make_hierarchy(std::vector{ring, box}));
  DimensionSpec full = rail;
  full.kind = DimensionKind::kFullyConnected;
  full.links = 3;
  expect_found(make_hierarchy(std::vector{full, box}));
}

// As in boxes with several NVSwitches: each of 4 links of an accelerator leads to a switch of its own.
TEST(FindLikeness, RecognisesPlanesOfSwitches) {
  const DimensionSpec box{.kind = DimensionKind::kSwitch,
                          .size = 8,
                          .links = 4,
                          .bandwidth = kFast.bandwidth,
                          .latency = kFast.latency,
                          .bundled = false,
                          .planes = true};
  const DimensionSpec rail{
      .kind = DimensionKind::kSwitch, .size = 4, .bandwidth = kSlow.bandwidth, .latency = kSlow.latency};
  expect_found(make_hierarchy(std::vector{box, rail}));
  expect_found(make_hierarchy(std::vector{rail, box}));
}

// A box whose accelerators have network cards, but no other box.
TEST(FindLikeness, AllowsSwitchesWithOneAccelerator) {
  Topology graph(Kind::kFile, {}, 4, 5);
  for (NodeId node = 0; node < 4; ++node) {
    for (const NodeId hub : {4, 5 + node}) {
      graph.add_channel(node, hub, kFast.bandwidth, kFast.latency);
      graph.add_channel(hub, node, kFast.bandwidth, kFast.latency);
    }
  }
  EXPECT_EQ(find_likeness(graph)->network.kind(), Kind::kFile);
}

TEST(FindLikeness, RecognisesASwitch) {
  expect_found(make_switch(std::vector{7}, std::vector{kSlow}));
}

// Boxes whose rails are fabrics of leaves and spines. find_likeness() represents each rail by one switch, and
// messages use the graph's own routes.
Topology boxes_on_fabrics(int planes) {
  constexpr int kBoxes = 4;
  Topology graph(Kind::kFile, {}, 2 * kBoxes, planes * kBoxes + 2 * 3);
  const auto link = [&](NodeId a, NodeId b, const LinkSpec& spec) {
    graph.add_channel(a, b, spec.bandwidth, spec.latency);
    graph.add_channel(b, a, spec.bandwidth, spec.latency);
  };
  for (int box = 0; box < kBoxes; ++box) {
    for (int rail = 0; rail < 2; ++rail) {
      // The rail's two leaves are followed by its spine.
      const NodeId first = (2 + planes) * kBoxes + 3 * rail;
      for (int plane = 0; plane < planes; ++plane) {
        link(2 * box + rail, (2 + plane) * kBoxes + box, kFast);
      }
      link(2 * box + rail, first + box / 2, kSlow);
    }
  }
  for (int rail = 0; rail < 2; ++rail) {
    const NodeId first = (2 + planes) * kBoxes + 3 * rail;
    for (int leaf = 0; leaf < 2; ++leaf) link(first + leaf, first + 2, kFast);
  }
  return graph;
}

TEST(FindLikeness, RecognisesAFabricAsASwitch) {
  const Topology graph = boxes_on_fabrics(1);
  const auto likeness = find_likeness(graph);
  EXPECT_EQ(likeness->fabric_channels.size(), likeness->network.channels().size());
  EXPECT_EQ(likeness->network.kind(), Kind::kHierarchy);
  EXPECT_THAT(likeness->network.dims(), testing::ElementsAre(2, 4));
  ASSERT_EQ(likeness->dimensions.size(), 2U);
  EXPECT_EQ(likeness->dimensions[1].latency, 2 * (kSlow.latency + kFast.latency));
  EXPECT_TRUE(find_likeness(graph, false)->fabric_channels.empty());
}

TEST(FindLikeness, RecognisesFabricsBesidePlanes) {
  const Topology graph = boxes_on_fabrics(2);
  const auto likeness = find_likeness(graph);
  ASSERT_EQ(likeness->dimensions.size(), 2U);
  EXPECT_TRUE(likeness->dimensions[0].planes);
  // Each channel stands for one of the same accelerator, of the same bandwidth.
  for (std::size_t id = 0; id < likeness->network.channels().size(); ++id) {
    const Channel& own = likeness->network.channel(static_cast<ChannelId>(id));
    const Channel& there = graph.channel(likeness->fabric_channels[id]);
    EXPECT_EQ(own.bandwidth, there.bandwidth);
    if (graph.is_accelerator(there.src)) {
      EXPECT_EQ(likeness->nodes[static_cast<std::size_t>(own.src)], there.src);
    }
    if (graph.is_accelerator(there.dst)) {
      EXPECT_EQ(likeness->nodes[static_cast<std::size_t>(own.dst)], there.dst);
    }
  }
}

// Routes do not distinguish two fabrics that connect the same accelerators.
TEST(FindLikeness, DoesNotRepresentPlanesOfFabrics) {
  Topology graph(Kind::kFile, {}, 4, 2 + 2 * 3);
  const auto link = [&](NodeId a, NodeId b, const LinkSpec& spec) {
    graph.add_channel(a, b, spec.bandwidth, spec.latency);
    graph.add_channel(b, a, spec.bandwidth, spec.latency);
  };
  for (NodeId node = 0; node < 4; ++node) {
    link(node, 4 + node / 2, kFast);
    for (const NodeId fabric : {6, 9}) link(node, fabric + node / 2, kSlow);
  }
  for (const NodeId fabric : {6, 9}) {
    for (const NodeId leaf : {0, 1}) link(fabric + leaf, fabric + 2, kFast);
  }
  EXPECT_EQ(find_likeness(graph)->network.kind(), Kind::kFile);
}

// A graph that is not a built-in network must give the same result for all numberings of its nodes.
RC_GTEST_PROP(FindLikeness, DoesNotDependOnNumbers, ()) {
  const int accelerators = *rc::gen::inRange(2, 9);
  const int switches = *rc::gen::inRange(0, 4);
  const int nodes = accelerators + switches;
  Topology network(Kind::kFile, {}, accelerators, switches);
  for (NodeId node = 0; node < nodes; ++node) {
    const auto more = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, nodes));
    network.add_channel(node, (node + 1) % nodes, kFast.bandwidth, kFast.latency);
    for (const int offset : more) {
      const LinkSpec link = *rc::gen::element(kFast, kSlow);
      network.add_channel(node, (node + offset) % nodes, link.bandwidth, link.latency);
    }
  }
  const auto one = find_likeness(written_as_graph(network, 1));
  const auto other = find_likeness(written_as_graph(network, 2));
  RC_ASSERT(channels_of(one->network) == channels_of(other->network));
  const Topology graph = written_as_graph(network, 3);
  const auto third = find_likeness(graph);
  RC_ASSERT(channels_at(third->network, third->nodes) == channels_of(graph));
}

}  // namespace
}  // namespace coppice::topology
