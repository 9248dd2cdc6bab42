#include "routing/concurrent_flow.h"

#include <random>

#include <gtest/gtest.h>

#include "routing/all_to_all_bound.h"
#include "topology/networks/kinds.h"

namespace coppice::routing {
namespace {

using topology::NodeId;
using topology::Topology;

Topology random_network(std::mt19937& random) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  const int accelerators = draw(2, 6);
  const int nodes = accelerators + draw(0, 3);
  Topology network(topology::Kind::kFile, {}, accelerators, nodes - accelerators);
  const auto link = [&](NodeId a, NodeId b) {
    const std::int64_t rate = draw(1, 4) * 1'000'000'000L;
    network.add_channel(a, b, {rate}, 0);
    network.add_channel(b, a, {rate}, 0);
  };
  for (NodeId node = 1; node < nodes; ++node) link(node, draw(0, node - 1));
  for (int more = draw(0, nodes); more > 0; --more) {
    const NodeId a = draw(0, nodes - 1);
    link(a, (a + draw(1, nodes - 1)) % nodes);
  }
  return network;
}

// The linear program's optimum must lie between the proven lower bound and the time of the solution found.
TEST(ConcurrentFlow, BoundsTheOptimumFromBothSides) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): a fixed seed gives reproducible networks
  for (int i = 0; i < 40; ++i) {
    const Topology network = random_network(random);
    const ConcurrentFlow flow = approximate_all_to_all(network, 320);
    const double exact = least_all_to_all(network, 1).ns;
    EXPECT_LE(flow.least, exact * (1 + 1e-6)) << i;
    EXPECT_GE(flow.most, exact * (1 - 1e-6)) << i;
    EXPECT_GE(flow.least, 0.95 * exact) << i;
    EXPECT_NEAR(all_to_all_ns(network, 1, flow.lengths), flow.least, 1e-6 * exact) << i;
  }
}

// If all channels are identical, one round finds the exact optimum.
TEST(ConcurrentFlow, IsExactOnATorus) {
  const std::vector<topology::LinkSpec> links(2, {{1'000'000'000}, 0});
  const ConcurrentFlow flow = approximate_all_to_all(topology::make_torus(std::vector{8, 8}, links), 1);
  EXPECT_NEAR(flow.least, flow.most, 1e-6 * flow.most);
  EXPECT_NEAR(flow.least, 64, 1e-6);
}

TEST(ConcurrentFlow, DoesNotExistIfSomeAreUnreachable) {
  EXPECT_TRUE(approximate_all_to_all(Topology(topology::Kind::kFile, {}, 2, 0), 10).lengths.empty());
  Topology apart(topology::Kind::kFile, {}, 3, 0);
  apart.add_channel(0, 1, {1'000'000'000}, 0);
  apart.add_channel(1, 0, {1'000'000'000}, 0);
  EXPECT_TRUE(approximate_all_to_all(apart, 10).lengths.empty());
}

}  // namespace
}  // namespace coppice::routing
