#include <gmock/gmock.h>

#include "base/error.h"
#include "sample_links.h"
#include "topology/files/graph_file.h"
#include "topology/routing/deadlock.h"
#include "topology/routing/table_routing.h"

namespace coppice::topology {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr Femtoseconds kCycle = kFemtosecondsPerNanosecond;
constexpr GraphFileDefaults kDefaults{.link = kSampleLink, .cycle = kCycle};

GraphFile parse(const std::string& text) {
  return parse_anynet(text, "net", kDefaults);
}

TEST(AnynetFile, RoutersOfSeveralNodesAreSwitches) {
  // Each connection is listed once and works in both directions.
  const Topology net = parse(
                           "router 0 node 0 node 1 node 2 router 1\nrouter 1 node 3 node 4\nrouter 2 node 5 "
                           "router 1 router 0\n")
                           .topology;
  EXPECT_EQ(net.num_accelerators(), 6);
  EXPECT_EQ(net.num_switches(), 2);
  EXPECT_THAT(neighbours(net, 1), ElementsAre(6));
  EXPECT_THAT(neighbours(net, 6), ElementsAre(0, 1, 2, 7, 5));
  EXPECT_THAT(neighbours(net, 7), ElementsAre(3, 4, 6, 5));
  // Router 2 has no accelerator except 5, so both become one node.
  EXPECT_THAT(neighbours(net, 5), ElementsAre(6, 7));
  ChannelDependencyGraph graph(net, 2);
  graph.add_all_pairs(*make_table_routing(net, 2));
  EXPECT_THAT(graph.find_cycle(), IsEmpty());
}

TEST(AnynetFile, RoutersOfOneNodeArePartOfIt) {
  const GraphFile file =
      parse("router 0 node 0 router 1 router 2\nrouter 1 node 1 router 2\nrouter 2 node 2\n");
  EXPECT_EQ(file.topology.num_accelerators(), 3);
  EXPECT_EQ(file.topology.num_switches(), 0);
  EXPECT_THAT(neighbours(file.topology, 1), ElementsAre(0, 2));
  EXPECT_TRUE(file.uses_default_bandwidth);
  EXPECT_FALSE(file.uses_default_latency);
}

TEST(AnynetFile, LatenciesAreCyclesInTheDirectionWritten) {
  const Topology net = parse("router 0 node 0 router 1 15\nrouter 1 node 1\n").topology;
  ASSERT_EQ(net.channels().size(), 2);
  EXPECT_EQ(net.channel(0).latency, 15 * kCycle);
  EXPECT_EQ(net.channel(1).latency, kCycle);
  EXPECT_EQ(net.channel(0).bandwidth, kSampleLink.bandwidth);
  const Topology both = parse("router 0 node 0 router 1 15\nrouter 1 node 1 router 0 4\n").topology;
  EXPECT_EQ(both.channel(0).latency, 15 * kCycle);
  EXPECT_EQ(both.channel(1).latency, 4 * kCycle);
}

TEST(AnynetFile, ANodeWithALatencyIsBehindALink) {
  const Topology net = parse("router 0 node 0 3 router 1\nrouter 1 node 1\n").topology;
  EXPECT_EQ(net.num_switches(), 1);
  EXPECT_THAT(neighbours(net, 0), ElementsAre(2));
  EXPECT_THAT(neighbours(net, 2), ElementsAre(0, 1));
  EXPECT_EQ(net.channel(net.out_channels(0)[0]).latency, 3 * kCycle);
  EXPECT_EQ(net.channel(net.in_channels(0)[0]).latency, 3 * kCycle);
}

TEST(AnynetFile, NodesMayComeFirstAndNumbersMayHaveGaps) {
  const Topology net =
      parse("node 10 router 5\nnode 20 router 5\nrouter 5 router 9\nrouter 9 node 30\n").topology;
  EXPECT_EQ(net.num_accelerators(), 3);
  EXPECT_EQ(net.num_switches(), 1);
  EXPECT_THAT(neighbours(net, 3), ElementsAre(0, 1, 2));
}

TEST(AnynetFile, ARepeatedConnectionCountsOnce) {
  const Topology net = parse("router 0 node 0 node 0 router 1 router 1\nrouter 1 node 1 router 0\n").topology;
  EXPECT_EQ(net.channels().size(), 2);
  EXPECT_EQ(net.num_switches(), 0);
}

struct Mistake {
  std::string text;
  std::string message;
};

class AnynetFileMistake : public testing::TestWithParam<Mistake> {};

TEST_P(AnynetFileMistake, IsLocatedAndExplained) {
  EXPECT_THAT([&] { parse(GetParam().text); },
              ThrowsMessage<ConfigError>(StartsWith("net:" + GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    All, AnynetFileMistake,
    testing::Values(Mistake{"", "1:1: the network has no nodes"},
                    Mistake{"router 0 router 1\n", "1:1: the network has no nodes"},
                    Mistake{"switch 0 node 0\n", "1:1: expected 'router' or 'node' instead of 'switch'"},
                    Mistake{"router 0 node 0\nrouter\n", "2:7: 'router' must be followed by a number"},
                    Mistake{"router 0 node\n", "1:14: 'node' must be followed by a number"},
                    Mistake{"router zero node 0\n", "1:8: 'zero' is not the number of a router"},
                    Mistake{"router 0 5 node 0\n", "1:10: expected 'router' or 'node' instead of '5'"},
                    Mistake{"router 0 node 0 router 1 x\n", "1:26: 'x' is not a latency in cycles"},
                    Mistake{"router 0 node 0 router 1 0\n", "1:26: a latency in cycles cannot be 0"},
                    Mistake{"node 0 node 1\n", "1:8: node 0 cannot be connected to node 1"},
                    Mistake{"router 0 node 0 router 0\n", "1:17: router 0 cannot be connected to itself"},
                    Mistake{
                        "router 0 node 0 router 1\nrouter 1 node 0\n",
                        "2:10: node 0 cannot be connected to router 1: it is already connected to router 0"},
                    Mistake{"router 0 node 0 router 1 5 router 1 6\nrouter 1 node 1\n",
                            "1:28: the channel from router 0 to router 1 already has latency 5"},
                    Mistake{"router 0 node 0\nrouter 1 node 1\n", "1:10: accelerator 0 has no channel"},
                    Mistake{"router 0 node 0 node 1\nrouter 1 node 2 node 3\n",
                            "2:10: the graph is not connected: accelerator 0 cannot reach accelerator 2"}));

}  // namespace
}  // namespace coppice::topology
