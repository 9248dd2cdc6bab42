#include "topology/networks/clos.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "sample_links.h"
#include "topology/bounds/cut_bound.h"
#include "topology/routing/deadlock.h"
#include "topology/routing/table_routing.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Topology clos(const std::vector<int>& dims, const ClosFailures& failures = {}) {
  return make_clos(dims, std::span(&kSampleLink, 1), failures);
}

TEST(Clos, LinksEveryTorToEverySpine) {
  const Topology network = clos({4, 3, 2});
  EXPECT_EQ(network.num_accelerators(), 12);
  EXPECT_EQ(network.num_switches(), 5);
  EXPECT_THAT(neighbours(network, 5), ElementsAre(13));
  EXPECT_THAT(neighbours(network, 13), ElementsAre(4, 5, 6, 7, 15, 16));
  EXPECT_THAT(neighbours(network, 16), ElementsAre(12, 13, 14));
}

TEST(Clos, HasTheSizeInThePaper) {
  const Topology network = clos({32, 64, 32});
  EXPECT_EQ(network.num_accelerators(), 2048);
  EXPECT_EQ(network.channels().size(), 2U * 2048 + 2U * 64 * 32);
}

// Each ToR has two accelerators and links to eight spines. A link has an eighth of a NIC's bandwidth, so the
// uplinks have half of the NICs' total bandwidth.
TEST(Clos, AcceptsAnyOversubscription) {
  const std::vector<LinkSpec> links{{{16'000'000'000}, 0}, {{2'000'000'000}, 0}};
  const std::vector<int> dims{2, 4, 8};
  const Topology network = make_clos(dims, links);
  EXPECT_EQ(worst_cut(network).bytes_per_second, 16'000'000'000);
}

TEST(Clos, OmitsFailedLinksAndSpines) {
  const Topology network = clos({1, 3, 3}, {.spines = {1}, .links = {{2, 0}}});
  EXPECT_THAT(neighbours(network, 3), ElementsAre(0, 6, 8));
  EXPECT_THAT(neighbours(network, 5), ElementsAre(2, 8));
  const Clos view(network);
  EXPECT_EQ(view.up(0, 1), -1);
  EXPECT_EQ(view.down(0, 2), -1);
  EXPECT_GE(view.down(0, 1), 0);
}

TEST(Clos, RoutesOverTheRequestedSpine) {
  const Topology network = clos({4, 3, 2}, {.links = {{0, 0}}});
  const Clos view(network);
  // The route is NIC 1 -> ToR 0 -> spine 1 -> ToR 2 -> NIC 10. ToR 0's only live spine is at port 4.
  const Route route = view.route(1, 10, 1, 4);
  std::vector<int> ports;
  NodeId at = 1;
  for (const Hop& hop : route) {
    EXPECT_EQ(hop.vcs, (VcRange{0, 4}));
    ports.push_back(hop.out_port);
    if (hop.out_port < network.out_channels(at).size()) {
      at = network.channel(network.out_channels(at)[hop.out_port]).dst;
    }
  }
  EXPECT_THAT(ports, ElementsAre(0, 4, 2, 2, 1));
  EXPECT_EQ(at, 10);
  EXPECT_EQ(view.route(1, 2, 0, 4).size(), 3U);
  EXPECT_THAT([&] { view.route(1, 10, 0, 4); },
              ThrowsMessage<ModelError>(HasSubstr("no path from 1 to 10 over spine 0")));
}

TEST(Clos, TableRoutingReachesAllNodesWithoutDeadlock) {
  const Topology network = clos({2, 4, 3}, {.spines = {0}});
  const auto routing = make_table_routing(network, 2);
  ChannelDependencyGraph graph(network, 2);
  graph.add_all_pairs(*routing);
  EXPECT_TRUE(graph.find_cycle().empty());
}

TEST(Clos, ReportsUnmetRequirements) {
  EXPECT_THAT(
      [] {
        clos({4, 3});
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("[accelerators per ToR, ToRs, spines]")));
  EXPECT_THAT([] { clos({4, 3, 0}); }, ThrowsMessage<UnsupportedError>(HasSubstr("it needs at least 1")));
  EXPECT_THAT(
      [] {
        clos({4, 3, 2}, {.spines = {2}});
      },
      ThrowsMessage<UnsupportedError>(
          HasSubstr("there is no spine 2 that could fail: the spines are numbered 0 to 1")));
  EXPECT_THAT(
      [] {
        clos({4, 3, 2}, {.links = {{3, 1}}});
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("no ToR 3 that could fail")));
}

}  // namespace
}  // namespace coppice::topology
