#include "topology/routing/table_routing.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <queue>
#include <set>

#include "base/error.h"
#include "sample_links.h"
#include "topology/networks/kinds.h"
#include "topology/routing/deadlock.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

bool deadlock_free(const Topology& topology, const RoutingFunction& routing) {
  ChannelDependencyGraph graph(topology, routing.num_vcs());
  graph.add_all_pairs(routing);
  return graph.find_cycle().empty();
}

// The number of channels on a shortest path from `src` to each node.
std::vector<int> distances(const Topology& topology, NodeId src) {
  std::vector<int> distance(static_cast<std::size_t>(topology.num_nodes()), -1);
  std::queue<NodeId> queue({src});
  distance[static_cast<std::size_t>(src)] = 0;
  for (; !queue.empty(); queue.pop()) {
    for (const NodeId next : neighbours(topology, queue.front())) {
      if (distance[static_cast<std::size_t>(next)] >= 0) continue;
      distance[static_cast<std::size_t>(next)] = distance[static_cast<std::size_t>(queue.front())] + 1;
      queue.push(next);
    }
  }
  return distance;
}

// The number of channels by which the routes between all accelerators exceed shortest paths, in total.
int detours(const Topology& topology, const RoutingFunction& routing) {
  int total = 0;
  for (NodeId src = 0; src < topology.num_accelerators(); ++src) {
    const std::vector<int> shortest = distances(topology, src);
    for (NodeId dst = 0; dst < topology.num_accelerators(); ++dst) {
      const Route route = make_route(topology, routing, src, dst, 0, 0);
      total += static_cast<int>(route.size()) - 1 - shortest[static_cast<std::size_t>(dst)];
    }
  }
  return total;
}

// A random connected graph: a ring through all nodes, with one-way or two-way links, plus random links.
Topology random_graph(bool both_ways) {
  const int accelerators = *rc::gen::inRange(1, 12);
  const int switches = *rc::gen::inRange(0, 6);
  Topology topology(Kind::kFile, {}, accelerators, switches);
  const auto connect = [&](NodeId a, NodeId b) {
    if (a == b) return;
    topology.add_channel(a, b, {100}, 0);
    if (both_ways) topology.add_channel(b, a, {100}, 0);
  };
  for (NodeId node = 0; node < topology.num_nodes(); ++node) connect(node, (node + 1) % topology.num_nodes());
  const int extra = *rc::gen::inRange(0, 20);
  for (int i = 0; i < extra; ++i) {
    connect(*rc::gen::inRange(0, topology.num_nodes()), *rc::gen::inRange(0, topology.num_nodes()));
  }
  return topology;
}

TEST(TableRouting, FullyConnectedIsDirectOnAllVirtualChannels) {
  const Topology topology = sample(Kind::kFullyConnected, {5});
  const auto routing = make_table_routing(topology, 3);
  EXPECT_THAT(make_route(topology, *routing, 1, 3, 0, 2), ElementsAre(Hop{2, {0, 3}}, Hop{6, {0, 3}}));
  EXPECT_EQ(detours(topology, *routing), 0);
  EXPECT_EQ(routing->num_tie_bits(), 0);
}

TEST(TableRouting, ThroughASwitch) {
  const Topology topology = sample(Kind::kSwitch, {4});
  const auto routing = make_table_routing(topology, 1);
  EXPECT_THAT(make_route(topology, *routing, 3, 1, 0, 0),
              ElementsAre(Hop{0, {0, 1}}, Hop{1, {0, 1}}, Hop{1, {0, 1}}));
  EXPECT_TRUE(deadlock_free(topology, *routing));
}

TEST(TableRouting, BigraphNeedsTwoLayersForShortestPaths) {
  const Topology bigraph = sample(Kind::kBigraph, {4, 8});
  const auto two = make_table_routing(bigraph, 4);
  EXPECT_EQ(detours(bigraph, *two), 0);
  EXPECT_TRUE(deadlock_free(bigraph, *two));
  // With one layer, shortest paths could deadlock, so the tables use up*/down* routing.
  const auto one = make_table_routing(bigraph, 1);
  EXPECT_TRUE(deadlock_free(bigraph, *one));
}

TEST(TableRouting, BigraphUsesAllLinksBetweenTheLayersEvenly) {
  const Topology bigraph = sample(Kind::kBigraph, {4, 8});
  const auto routing = make_table_routing(bigraph, 2);
  std::vector<int> routes(bigraph.channels().size());
  for (NodeId src = 0; src < 32; ++src) {
    for (NodeId dst = 0; dst < 32; ++dst) {
      NodeId at = src;
      for (const Hop& hop : make_route(bigraph, *routing, src, dst, 0, 0)) {
        if (hop.out_port >= bigraph.out_channels(at).size()) break;
        const ChannelId id = bigraph.out_channels(at)[hop.out_port];
        ++routes[static_cast<std::size_t>(id)];
        at = bigraph.channel(id).dst;
      }
    }
  }
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (bigraph.channels()[i].dimension == 1) {
      EXPECT_EQ(routes[i], 40) << i;  // 16 direct routes, and a 32nd of 768 uses by paths of two channels
    }
  }
}

// Boxes of two accelerators on two rails. Each rail has two leaves, and all leaves share two spines. The
// accelerators behind a leaf must be reached over both spines; their numbers alternate between the rails.
TEST(TableRouting, DistributesTheAcceleratorsOfALeafOverSharedSpines) {
  constexpr int kBoxes = 4;
  Topology network(Kind::kFile, {}, 2 * kBoxes, kBoxes + 4 + 2);
  const auto link = [&](NodeId a, NodeId b, std::int64_t rate) {
    network.add_channel(a, b, {rate}, 10);
    network.add_channel(b, a, {rate}, 10);
  };
  const auto leaf = [](NodeId node) { return 3 * kBoxes + node % 2 * 2 + node / kBoxes; };
  for (NodeId node = 0; node < 2 * kBoxes; ++node) {
    link(node, 2 * kBoxes + node / 2, 400);
    link(node, leaf(node), 50);
  }
  for (NodeId at = 3 * kBoxes; at < 3 * kBoxes + 4; ++at) {
    for (const NodeId spine : {16, 17}) link(at, spine, 50);
  }
  const auto routing = make_table_routing(network, 4);
  for (NodeId src = 0; src < 2 * kBoxes; ++src) {
    std::set<std::uint16_t> up;
    for (NodeId dst = src % 2; dst < 2 * kBoxes; dst += 2) {
      if (leaf(dst) != leaf(src)) up.insert(make_route(network, *routing, src, dst, 0, 0)[1].out_port);
    }
    EXPECT_EQ(up.size(), 2U) << "from " << src;
  }
}

TEST(TableRouting, FindsItsOwnDatelineOnAOneWayRing) {
  Topology ring(Kind::kFile, {}, 16, 0);
  for (NodeId node = 0; node < 16; ++node) ring.add_channel(node, (node + 1) % 16, {100}, 0);
  const auto routing = make_table_routing(ring, 2);
  EXPECT_EQ(detours(ring, *routing), 0);
  EXPECT_TRUE(deadlock_free(ring, *routing));
  EXPECT_THAT([&] { make_table_routing(ring, 1); },
              ThrowsMessage<UnsupportedError>(HasSubstr("with 1 virtual channels: add virtual channels")));
}

TEST(TableRouting, EveryKindIsFreeOfDeadlock) {
  for (const int vcs : {1, 2, 4}) {
    for (const auto& [kind, dims] :
         std::vector<std::pair<Kind, std::vector<int>>>{{Kind::kRing, {8}},
                                                        {Kind::kFullyConnected, {8}},
                                                        {Kind::kSwitch, {8}},
                                                        {Kind::kFatTree, {8, 2}},
                                                        {Kind::kFatTree, {8, 2, 0}},
                                                        {Kind::kFatTree, {2, 4}},
                                                        {Kind::kBigraph, {4, 8}},
                                                        {Kind::kBigraph, {4, 16}},
                                                        {Kind::kTorus, {4, 4}},
                                                        {Kind::kTorus, {5, 3, 2}},
                                                        {Kind::kMesh, {4, 4}}}) {
      const Topology topology = sample(kind, dims);
      EXPECT_TRUE(deadlock_free(topology, *make_table_routing(topology, vcs)))
          << topology.name() << ' ' << vcs;
    }
  }
}

TEST(TableRouting, RejectsWhatItCannotRoute) {
  Topology apart(Kind::kFile, {}, 2, 0);
  EXPECT_THAT([&] { make_table_routing(apart, 2); },
              ThrowsMessage<UnsupportedError>(HasSubstr("cannot reach")));
  const Topology topology = sample(Kind::kSwitch, {4});
  EXPECT_THAT([&] { make_table_routing(topology, 0); },
              ThrowsMessage<UnsupportedError>(HasSubstr("use 1 to 255")));
  EXPECT_THROW(make_table_routing(topology, 256), UnsupportedError);
}

TEST(MakeRouting, UsesTheSchemeOfTheKind) {
  EXPECT_EQ(make_routing(sample(Kind::kRing, {4}), 2)->num_tie_bits(), 1);
  EXPECT_EQ(make_routing(sample(Kind::kSwitch, {4}), 1)->num_tie_bits(), 0);
  EXPECT_THROW(make_routing(sample_torus({4}), 1), UnsupportedError);
}

RC_GTEST_PROP(TableRouting, IsFreeOfDeadlockOnAnyGraphOfLinks, ()) {
  const Topology topology = random_graph(true);
  const auto routing = make_table_routing(topology, *rc::gen::inRange(1, 5));
  RC_ASSERT(deadlock_free(topology, *routing));
  RC_ASSERT(detours(topology, *routing) >= 0);  // fails if a route does not arrive
}

RC_GTEST_PROP(TableRouting, IsShortestWithEnoughVirtualChannels, ()) {
  const Topology topology = random_graph(*rc::gen::arbitrary<bool>());
  const auto routing = make_table_routing(topology, 16);
  RC_ASSERT(deadlock_free(topology, *routing));
  RC_ASSERT(detours(topology, *routing) == 0);
}

}  // namespace
}  // namespace coppice::topology
