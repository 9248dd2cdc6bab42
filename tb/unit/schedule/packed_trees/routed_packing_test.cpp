#include "schedule/packed_trees/routed_packing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "machine.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

// A one-way ring through all nodes plus random channels, all of which have random bandwidths of 1 to 9 GB/s.
Topology one_way_graph() {
  const int accelerators = *rc::gen::inRange(2, 6);
  const int switches = *rc::gen::inRange(0, 3);
  Topology graph(topology::Kind::kFile, {}, accelerators, switches);
  const auto connect = [&](NodeId a, NodeId b) {
    if (a != b) graph.add_channel(a, b, {*rc::gen::inRange(1, 10) * 1'000'000'000LL}, 0);
  };
  const int nodes = accelerators + switches;
  for (NodeId node = 0; node < nodes; ++node) connect(node, (node + 1) % nodes);
  for (int more = *rc::gen::inRange(0, 8); more > 0; --more) {
    connect(*rc::gen::inRange(0, nodes), *rc::gen::inRange(0, nodes));
  }
  return graph;
}

// Requires that every hop is a path of connected channels. In the reduce phase, a node sends once and before
// its parent; in the gather phase, it receives once and after its parent.
void require_tree(const Topology& graph, const PackedTree& tree, TreeDirections ways) {
  const int n = graph.num_accelerators();
  std::set<NodeId> sent;
  std::set<NodeId> reached{tree.root};
  for (const TreeHop& hop : tree.hops) {
    NodeId at = hop.src;
    for (const topology::ChannelId id : hop.path) {
      RC_ASSERT(graph.channel(id).src == at);
      at = graph.channel(id).dst;
      RC_ASSERT(at == hop.dst || !graph.is_accelerator(at));
    }
    RC_ASSERT(at == hop.dst);
    if (hop.op == Op::kReduce) {
      RC_ASSERT(hop.src != tree.root);
      RC_ASSERT(!sent.contains(hop.dst));
      RC_ASSERT(sent.insert(hop.src).second);
    } else {
      RC_ASSERT(reached.contains(hop.src));
      RC_ASSERT(reached.insert(hop.dst).second);
    }
  }
  RC_ASSERT(static_cast<int>(sent.size()) == (ways.up ? n - 1 : 0));
  RC_ASSERT(static_cast<int>(reached.size()) == (ways.down ? n : 1));
}

void require_packing(const Topology& graph) {
  const auto [up, down] =
      *rc::gen::element(std::pair{true, true}, std::pair{true, false}, std::pair{false, true});
  const TreeDirections ways{up, down};
  std::vector<NodeId> roots(static_cast<std::size_t>(*rc::gen::inRange(1, 6)), topology::kNoNode);
  if (*rc::gen::arbitrary<bool>()) roots.front() = graph.num_accelerators() - 1;
  const RoutedPacking packing = pack_routed(graph, {}, roots, ways, *rc::gen::inRange(0, 5));
  RC_ASSERT(packing.trees.size() == roots.size());
  std::map<topology::ChannelId, int> load;
  for (std::size_t t = 0; t < roots.size(); ++t) {
    if (roots[t] != topology::kNoNode && !(up && down)) RC_ASSERT(packing.trees[t].root == roots[t]);
    require_tree(graph, packing.trees[t], ways);
    for (const TreeHop& hop : packing.trees[t].hops) {
      for (const topology::ChannelId id : hop.path) ++load[id];
    }
  }
  double most = 0;
  for (const auto& [id, count] : load) most = std::max(most, count / graph.channel(id).bandwidth.gb_per_s());
  RC_ASSERT(std::abs(packing.ns_per_byte - most) <= 1e-9 * most);
}

RC_GTEST_PROP(RoutedPacking, SpansAnyGraphOfOneWayChannels, ()) {
  require_packing(one_way_graph());
}

RC_GTEST_PROP(RoutedPacking, SpansSwitches, ()) {
  const Machine machine =
      random_graph(*rc::gen::inRange(2, 8), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 6));
  require_packing(machine.topology);
}

TEST(RoutedPacking, SharesASwitchEvenly) {
  const Machine machine = built(topology::Kind::kSwitch, {8});
  const std::vector<NodeId> roots(8, topology::kNoNode);
  // Eight trees of 7 edges have 112 edge endpoints, which are 14 at each of the 8 links if they are spread
  // evenly.
  EXPECT_NEAR(pack_routed(machine.topology, {}, roots, {true, true}, 16).ns_per_byte * 16, 14, 1.01);
}

// Seven accelerators and a switch, with links of 4, 8 and 16 GB/s to the switch and between accelerators.
Topology unequal_links() {
  Topology graph(topology::Kind::kFile, {}, 7, 1);
  constexpr NodeId kSwitch = 7;
  struct Link {
    NodeId a;
    NodeId b;
    std::int64_t gb_per_s;
  };
  for (const auto& [a, b, gb_per_s] : {Link{0, kSwitch, 8},
                                       {1, kSwitch, 8},
                                       {2, kSwitch, 8},
                                       {3, kSwitch, 4},
                                       {4, kSwitch, 16},
                                       {5, kSwitch, 16},
                                       {6, kSwitch, 8},
                                       {5, 3, 4},
                                       {1, 0, 16},
                                       {4, 6, 16},
                                       {2, 5, 8},
                                       {4, 0, 8},
                                       {6, 3, 16},
                                       {6, 4, 4}}) {
    graph.add_channel(a, b, {gb_per_s * 1'000'000'000}, 150 * kFemtosecondsPerNanosecond);
    graph.add_channel(b, a, {gb_per_s * 1'000'000'000}, 150 * kFemtosecondsPerNanosecond);
  }
  return graph;
}

// A message occupies its port for as long as it takes on the slowest channel of its route, and the packing
// must take this into account.
TEST(RoutedPacking, DoesNotOccupyPortsWithSlowMessages) {
  const Machine machine = make_machine(unequal_links());
  const std::vector<NodeId> roots(32, topology::kNoNode);
  std::map<topology::ChannelId, double> ns;  // time per byte at each port, over all trees
  const CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  for (const PackedTree& tree : pack_routed(machine.topology, request, roots, {true, true}, 16).trees) {
    for (const TreeHop& hop : tree.hops) {
      double slowest = 0;
      for (const topology::ChannelId id : hop.path)
        slowest = std::max(slowest, 1 / machine.topology.channel(id).bandwidth.gb_per_s());
      ns[hop.path.front()] += slowest;
    }
  }
  // Accelerators 1 and 2 have 16 GB/s each, so 32 trees take at least 2 ns per byte. Packings that consider
  // only channel loads take 4 ns.
  for (const auto& [port, time] : ns) EXPECT_LT(time, 1.03 * 32 / 16) << port;
}

// Short pieces wait in the routers' buffers, so a slow channel does not block the port before it. The order
// then ends soon after the busiest channel has finished.
TEST(PieceScheduler, LetsShortPiecesWaitInRouters) {
  const Machine machine = make_machine(unequal_links());
  const std::vector<NodeId> roots(32, topology::kNoNode);
  const CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  const RoutedPacking packing = pack_routed(machine.topology, request, roots, {true, true}, 16);
  const PieceScheduler scheduler(machine.topology, request, packing.trees);
  const Bytes piece = scheduler.longest_buffered();
  ASSERT_GT(piece, 0);
  EXPECT_TRUE(scheduler.buffered(piece));
  EXPECT_FALSE(scheduler.buffered(piece + 1));
  constexpr int kPieces = 40;
  const std::vector<Bytes> bytes(kPieces * packing.trees.size(), piece);
  const PieceSchedule order = scheduler.schedule(bytes, {kPieces, 1.5});
  EXPECT_LT(order.finish, kPieces * scheduler.period(piece) * 11 / 10);
  EXPECT_GE(order.finish, kPieces * scheduler.period(piece));
  EXPECT_EQ(order.finish, scheduler.finish(bytes, {kPieces, 1.5}));
}

TEST(PieceScheduler, LetsPiecesWaitIfTheyFitABufferWithTheirHeads) {
  const Machine machine = make_machine(unequal_links());
  const std::vector<NodeId> roots(4, topology::kNoNode);
  CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  const RoutedPacking packing = pack_routed(machine.topology, request, roots, {true, true}, 16);
  const auto flits = [&](Bytes payload, Bytes buffer) {
    request.timing.payload = payload;
    request.timing.buffer = buffer;
    return PieceScheduler(machine.topology, request, packing.trees).longest_buffered() / 16;
  };
  EXPECT_EQ(flits(0, 318), 256);
  EXPECT_EQ(flits(256, 318), 256);
  EXPECT_EQ(flits(16, 318), 128);
  EXPECT_EQ(flits(0, 9), 8);
  EXPECT_EQ(flits(0, 8), 4);
  EXPECT_EQ(flits(0, 1), 0);
  EXPECT_EQ(flits(64, 4), 0);
}

}  // namespace
}  // namespace coppice::schedule
