#include "system/cluster/spine_routing.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "topology/networks/builders.h"

namespace coppice::system {
namespace {

using topology::NodeId;

// A Clos network with four ToRs of three accelerators each, two spines, and the given failures.
topology::Topology network(const topology::ClosFailures& failures) {
  const topology::LinkSpec link{{1'000'000'000}, 0};
  const std::vector<topology::LinkSpec> links{link, link};
  return topology::make_clos(std::vector<int>{3, 4, 2}, links, failures);
}

// The nodes that `route` visits after `src`.
std::vector<NodeId> passed(const topology::Topology& network, NodeId src, const topology::Route& route) {
  std::vector<NodeId> nodes{src};
  for (std::size_t hop = 0; hop + 1 < route.size(); ++hop) {
    nodes.push_back(network.channel(network.out_channels(nodes.back())[route[hop].out_port]).dst);
  }
  return nodes;
}

TEST(SpineRouting, ReachesEveryAcceleratorOverAtMostOneSpine) {
  const topology::Topology whole = network({});
  const topology::Clos clos(whole);
  const SpineRouting routing(clos, 4);
  for (NodeId src = 0; src < whole.num_accelerators(); ++src) {
    for (NodeId dst = 0; dst < whole.num_accelerators(); ++dst) {
      if (src == dst) continue;
      const auto nodes = passed(whole, src, topology::make_route(whole, routing, src, dst, 0, 0));
      EXPECT_EQ(nodes.back(), dst);
      EXPECT_EQ(nodes.size(), clos.tor_of(src) == clos.tor_of(dst) ? 3U : 5U);
    }
  }
}

TEST(SpineRouting, UsesOnlyLiveLinks) {
  const topology::Topology broken = network({.spines = {}, .links = {{1, 0}, {2, 1}}});
  const topology::Clos clos(broken);
  const SpineRouting routing(clos, 4);
  for (const NodeId dst : {0, 1, 2}) {
    const auto nodes = passed(broken, 3, topology::make_route(broken, routing, 3, dst, 0, 0));
    EXPECT_EQ(nodes[2], clos.spine_node(1));
  }
  // ToR 1 has lost one of the two spines and ToR 2 the other, so no path between these ToRs exists.
  EXPECT_THROW(topology::make_route(broken, routing, 3, 6, 0, 0), ModelError);
}

}  // namespace
}  // namespace coppice::system
