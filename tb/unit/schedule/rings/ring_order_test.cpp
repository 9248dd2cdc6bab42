#include "schedule/rings/ring_order.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "machine.h"
#include "schedule/compile/channel_paths.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(RingOrder, VisitsEveryAcceleratorOverNeighbours, ()) {
  const Machine machine = random_machine(7);
  const RingOrder order = ring_order(machine.topology);
  std::vector<NodeId> all(static_cast<std::size_t>(machine.topology.num_accelerators()));
  std::iota(all.begin(), all.end(), 0);
  RC_ASSERT(std::ranges::is_permutation(order.nodes, all));
  for (std::size_t i = 1; i < order.nodes.size(); ++i) {
    RC_ASSERT(find_channel(machine.topology, order.nodes[i - 1], order.nodes[i]) >= 0);
  }
  const bool closes = find_channel(machine.topology, order.nodes.back(), order.nodes.front()) >= 0;
  RC_ASSERT(order.closed == (closes || all.size() == 1));
}

RC_GTEST_PROP(RingOrder, FindsACycleIfThereIsOne, ()) {
  const Machine machine = random_machine(7);
  const auto& dims = machine.topology.dims();
  const auto wide = std::ranges::count_if(dims, [](int width) { return width > 1; });
  const int n = machine.topology.num_accelerators();
  // A mesh has no Hamiltonian cycle if it is a line or if its number of nodes is odd, because it is
  // bipartite.
  const bool exists = machine.topology.kind() == topology::Kind::kTorus || n <= 2 || (wide > 1 && n % 2 == 0);
  RC_ASSERT(ring_order(machine.topology).closed == exists);
}

// The ring always continues to the nearest switch, so that it visits each switch once.
TEST(RingOrder, ContinuesWithTheNearestOnSwitchNetworks) {
  EXPECT_THAT(ring_order(fat_tree({2, 2}).topology).nodes, testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ring_order(bigraph({2, 4}).topology).nodes, testing::ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

// The graph has only one Hamiltonian cycle, 0-3-1-4-2-0.
TEST(RingOrder, FindsACycleOfAnyGraph) {
  topology::Topology graph(topology::Kind::kFile, {}, 5, 0);
  for (const auto& [a, b] : {std::pair{0, 3}, {3, 1}, {1, 4}, {4, 2}, {2, 0}, {0, 1}}) {
    graph.add_channel(a, b, {1}, 0);
    graph.add_channel(b, a, {1}, 0);
  }
  const RingOrder order = ring_order(graph);
  EXPECT_TRUE(order.closed);
  EXPECT_THAT(order.nodes,
              testing::AnyOf(testing::ElementsAre(0, 3, 1, 4, 2), testing::ElementsAre(0, 2, 4, 1, 3)));
}

TEST(RingOrder, SmallestSystems) {
  EXPECT_THAT(ring_order(torus({1}).topology).nodes, testing::ElementsAre(0));
  EXPECT_THAT(ring_order(mesh({1, 2}).topology).nodes, testing::ElementsAre(0, 1));
  EXPECT_TRUE(ring_order(mesh({2}).topology).closed);
  EXPECT_FALSE(ring_order(mesh({3}).topology).closed);
}

}  // namespace
}  // namespace coppice::schedule
