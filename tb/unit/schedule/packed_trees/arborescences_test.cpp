#include "schedule/packed_trees/arborescences.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <vector>

#include "machine.h"
#include "topology/bounds/cut_bound.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

constexpr std::int64_t kEnough = 1'000'000'000'000;  // limit on the search effort that is never reached

// A random network of bidirectional links with random bandwidths. Unless `symmetric`, the directions of a
// link may have different bandwidths.
Topology random_bandwidths(bool symmetric) {
  const Machine machine =
      random_graph(*rc::gen::inRange(2, 9), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 6));
  const Topology& alike = machine.topology;
  Topology graph(topology::Kind::kFile, {}, alike.num_accelerators(), alike.num_switches());
  const auto any_rate = [] { return *rc::gen::inRange<std::int64_t>(1, 9) * 1'000'000'000; };
  for (std::size_t i = 0; i < alike.channels().size(); i += 2) {
    const topology::Channel& channel = alike.channels()[i];
    const std::int64_t there = any_rate();
    graph.add_channel(channel.src, channel.dst, {there}, 0);
    graph.add_channel(channel.dst, channel.src, {symmetric ? there : any_rate()}, 0);
  }
  return graph;
}

// Requires that every tree reaches every accelerator once, that the paths between accelerators contain only
// switches, and that no channel carries more than its bandwidth at the packing's rate.
void require_sound(const Topology& topology, const ArborescencePacking& packing) {
  const int all = std::accumulate(packing.weights.begin(), packing.weights.end(), 0);
  std::vector<double> load(topology.channels().size(), 0);
  for (std::size_t t = 0; t < packing.trees.size(); ++t) {
    std::vector<bool> reached(static_cast<std::size_t>(topology.num_accelerators()), false);
    reached[static_cast<std::size_t>(packing.trees[t].root)] = true;
    for (const TreeHop& hop : packing.trees[t].hops) {
      RC_ASSERT(reached[static_cast<std::size_t>(hop.src)]);
      RC_ASSERT(!reached[static_cast<std::size_t>(hop.dst)]);
      reached[static_cast<std::size_t>(hop.dst)] = true;
      NodeId at = hop.src;
      for (const topology::ChannelId id : hop.path) {
        RC_ASSERT(topology.channel(id).src == at);
        RC_ASSERT(at == hop.src || !topology.is_accelerator(at));
        at = topology.channel(id).dst;
        load[static_cast<std::size_t>(id)] += packing.weights[t];
      }
      RC_ASSERT(at == hop.dst);
    }
    RC_ASSERT(packing.trees[t].hops.size() + 1 == reached.size());
  }
  for (std::size_t id = 0; id < load.size(); ++id) {
    const auto rate = static_cast<double>(topology.channels()[id].bandwidth.bytes_per_second);
    RC_ASSERT(load[id] / all * packing.trees_bytes_per_second <= rate * (1 + 1e-9));
  }
}

// A random network of equal links, some of which are parallel. Since all links are equal, no port limits
// another.
Topology random_links() {
  return random_graph(*rc::gen::inRange(2, 9), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 9)).topology;
}

// The packing's rate is that of the network's worst cut, except that capacities are rounded to whole trees.
RC_GTEST_PROP(Arborescences, ReachTheWorstCut, ()) {
  const Topology topology = random_links();
  const topology::CutBound cut = topology::worst_cut(topology);
  const double bound = static_cast<double>(topology.num_accelerators()) *
                       static_cast<double>(cut.bytes_per_second) / static_cast<double>(cut.data);
  const auto packing = pack_arborescences(topology, {}, bound, kEnough);
  RC_ASSERT(packing.has_value());
  require_sound(topology, *packing);
  RC_ASSERT(packing->trees_bytes_per_second > 0.98 * bound);
}

RC_GTEST_PROP(Arborescences, ServeOneRoot, ()) {
  const Topology topology = random_links();
  const NodeId root = *rc::gen::inRange(0, topology.num_accelerators());
  std::vector<std::int64_t> shares(static_cast<std::size_t>(topology.num_accelerators()), 0);
  shares[static_cast<std::size_t>(root)] = 1;
  const topology::CutBound cut = topology::worst_cut(topology, topology::Direction::kOut, shares);
  const auto bound = static_cast<double>(cut.bytes_per_second);
  const auto packing = pack_arborescences(topology, {Roots::Shares::kOne, root}, bound, kEnough);
  RC_ASSERT(packing.has_value());
  require_sound(topology, *packing);
  for (const PackedTree& tree : packing->trees) RC_ASSERT(tree.root == root);
  RC_ASSERT(packing->trees_bytes_per_second > 0.98 * bound);
}

// If a switch receives and sends at different rates, it may be impossible to split off. Any trees that are
// found must be sound.
RC_GTEST_PROP(Arborescences, AreValidForAnyBandwidths, ()) {
  const Topology topology = random_bandwidths(*rc::gen::arbitrary<bool>());
  const topology::CutBound cut = topology::worst_cut(topology);
  const double bound = static_cast<double>(topology.num_accelerators()) *
                       static_cast<double>(cut.bytes_per_second) / static_cast<double>(cut.data);
  const auto packing = pack_arborescences(topology, {}, bound, kEnough);
  if (packing) require_sound(topology, *packing);
}

// Two hosts with three accelerators each, whose switches are joined by a slow link. The packing fills this
// link by spreading its traffic over all three ports of a host.
TEST(Arborescences, DistributeSlowPathsOverPorts) {
  Topology hosts(topology::Kind::kFile, {}, 6, 2);
  const auto link = [&](NodeId a, NodeId b, std::int64_t rate) {
    hosts.add_channel(a, b, {rate}, 0);
    hosts.add_channel(b, a, {rate}, 0);
  };
  for (NodeId node = 0; node < 6; ++node) link(node, 6 + node / 3, 16'000'000'000);
  link(6, 7, 4'000'000'000);
  const auto packing = pack_arborescences(hosts, {}, 8e9, kEnough);
  ASSERT_TRUE(packing.has_value());
  EXPECT_EQ(packing->bytes_per_second, 8e9);
  EXPECT_FALSE(pack_arborescences(hosts, {}, 8e9, 100).has_value());
}

}  // namespace
}  // namespace coppice::schedule
