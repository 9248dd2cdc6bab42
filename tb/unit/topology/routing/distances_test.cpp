#include "topology/routing/distances.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "../random_topology.h"

namespace coppice::topology {
namespace {

constexpr Cycles kNoWay = std::numeric_limits<Cycles>::max();

// Compares the distances with those of the Bellman-Ford algorithm.
RC_GTEST_PROP(Distances, AreTheShortest, ()) {
  const Topology topology = random_topology();
  std::vector<Cycles> lengths;
  for (std::size_t e = 0; e < topology.channels().size(); ++e) {
    lengths.push_back(*rc::gen::inRange<Cycles>(0, 20));
  }
  const NodeId start = *rc::gen::inRange(0, topology.num_nodes());
  for (const bool away : {true, false}) {
    std::vector<Cycles> expected(static_cast<std::size_t>(topology.num_nodes()), kNoWay / 2);
    expected[static_cast<std::size_t>(start)] = 0;
    for (NodeId round = 0; round < topology.num_nodes(); ++round) {
      for (std::size_t e = 0; e < lengths.size(); ++e) {
        const Channel& channel = topology.channels()[e];
        const Cycles near = expected[static_cast<std::size_t>(away ? channel.src : channel.dst)];
        Cycles& far = expected[static_cast<std::size_t>(away ? channel.dst : channel.src)];
        far = std::min(far, near + lengths[e]);
      }
    }
    const auto direction = away ? Distances::Direction::kFromNode : Distances::Direction::kToNode;
    RC_ASSERT(Distances(topology, direction).of<Cycles>(start, lengths) == expected);
  }
}

TEST(Distances, AreTheMaximumIfThereIsNoPath) {
  Topology topology(Kind::kFile, {}, 3, 0);
  topology.add_channel(0, 1, {1'000'000'000}, 0);
  const std::vector<Cycles> lengths{5};
  EXPECT_EQ(Distances(topology).of<Cycles>(0, lengths), (std::vector<Cycles>{0, 5, kNoWay}));
}

}  // namespace
}  // namespace coppice::topology
