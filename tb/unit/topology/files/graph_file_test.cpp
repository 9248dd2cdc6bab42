#include "topology/files/graph_file.h"

#include <gmock/gmock.h>

#include <functional>

#include "base/error.h"
#include "sample_links.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::StrEq;
using testing::ThrowsMessage;

constexpr GraphFileDefaults kDefaults{.link = kSampleLink, .cycle = kFemtosecondsPerNanosecond};

GraphFile parse(const std::string& text) {
  return parse_graph(text, "g.graph", kDefaults);
}

TEST(GraphFile, ReadsChannelsAndLinks) {
  const GraphFile file = parse(R"(# two accelerators on a switch, and a shortcut
accelerators 2
switches 1
link 0 -- s0 bandwidth "25 GB/s" latency 1us x2
link 1--2 latency "100 ns" bandwidth 8Gb/s   # the switch by its node number
channel 0 -> 1
)");
  const Topology& graph = file.topology;
  EXPECT_EQ(graph.kind(), Kind::kFile);
  EXPECT_EQ(graph.num_accelerators(), 2);
  EXPECT_EQ(graph.num_switches(), 1);
  EXPECT_THAT(neighbours(graph, 0), ElementsAre(2, 2, 1));
  EXPECT_THAT(neighbours(graph, 1), ElementsAre(2));
  EXPECT_THAT(neighbours(graph, 2), ElementsAre(0, 0, 1));
  EXPECT_EQ(graph.channel(1).bandwidth, Bandwidth{25'000'000'000});
  EXPECT_EQ(graph.channel(1).latency, 1000 * kFemtosecondsPerNanosecond);
  EXPECT_EQ(graph.channel(4).bandwidth, Bandwidth{1'000'000'000});
  EXPECT_EQ(graph.channel(4).latency, 100 * kFemtosecondsPerNanosecond);
  EXPECT_EQ(graph.channel(6).bandwidth, kSampleLink.bandwidth);
  EXPECT_EQ(graph.channel(6).latency, kSampleLink.latency);
  EXPECT_TRUE(file.uses_default_bandwidth);
  EXPECT_TRUE(file.uses_default_latency);
}

TEST(GraphFile, ReadsTheUsableShareOfABandwidth) {
  GraphFileDefaults defaults = kDefaults;
  defaults.efficiency = 0.5;
  const Topology graph = parse_graph(R"(accelerators 2
link 0 -- 1 bandwidth "10 GB/s" efficiency 0.8
link 0 -- 1 bandwidth "10 GB/s"
)",
                                     "g.graph", defaults)
                             .topology;
  EXPECT_EQ(graph.channel(0).bandwidth, Bandwidth{8'000'000'000});
  EXPECT_EQ(graph.channel(2).bandwidth, Bandwidth{5'000'000'000});
  EXPECT_THAT([] { parse("accelerators 2\nlink 0 -- 1 efficiency 2\n"); },
              ThrowsMessage<ConfigError>(HasSubstr("is not a number from 0.01 to 1")));
}

TEST(GraphFile, LocatesValuesThatItsReaderRejects) {
  const std::function<std::string(const LinkSpec&)> objection = [](const LinkSpec& link) {
    if (link.bandwidth > Bandwidth{16'000'000'000}) return "too fast";
    return link.latency > kFemtosecondsPerSecond / 1000 ? "too long" : "";
  };
  GraphFileDefaults defaults = kDefaults;
  defaults.link.bandwidth = {100'000'000'000};  // checked by the configuration, not by the reader
  defaults.objection = &objection;
  const std::string head = "accelerators 2\nlink 0 -- 1\nchannel 0 -> 1 ";
  EXPECT_NO_THROW(parse_graph(head + "bandwidth 16GB/s latency 1ms\n", "g", defaults));
  EXPECT_THAT([&] { parse_graph(head + "latency 1ns bandwidth \"17 GB/s\"\n", "g", defaults); },
              ThrowsMessage<ConfigError>(StrEq("g:3:38: bandwidth: too fast")));
  EXPECT_THAT([&] { parse_graph(head + "latency 2ms\n", "g", defaults); },
              ThrowsMessage<ConfigError>(StrEq("g:3:24: latency: too long")));
}

TEST(GraphFile, ReportsTheDefaultsItUses) {
  const GraphFile none = parse("accelerators 2\nlink 0 -- 1 bandwidth 1GB/s latency 1ns\n");
  EXPECT_FALSE(none.uses_default_bandwidth);
  EXPECT_FALSE(none.uses_default_latency);
  const GraphFile latency = parse("accelerators 2\nlink 0 -- 1 bandwidth 1GB/s\n");
  EXPECT_FALSE(latency.uses_default_bandwidth);
  EXPECT_TRUE(latency.uses_default_latency);
}

TEST(GraphFile, OneAcceleratorNeedsNoChannel) {
  EXPECT_EQ(parse("accelerators 1\n").topology.num_nodes(), 1);
}

struct Mistake {
  std::string text;
  std::string message;
};

class GraphFileMistake : public testing::TestWithParam<Mistake> {};

TEST_P(GraphFileMistake, IsLocatedAndExplained) {
  EXPECT_THAT([&] { parse(GetParam().text); },
              ThrowsMessage<ConfigError>(StartsWith("g.graph:" + GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    All, GraphFileMistake,
    testing::Values(
        Mistake{"", "1:1: 'accelerators N' must come first"},
        Mistake{"link 0 -- 1\n", "1:1: 'accelerators N' must come first"},
        Mistake{"accelerators\n", "1:13: 'accelerators' needs a value"},
        Mistake{"accelerators many\n", "1:14: 'many' is not the number of accelerators"},
        Mistake{"accelerators 0\n", "1:14: the number of accelerators cannot be 0"},
        Mistake{"accelerators 2 3\n", "1:16: the line must end after 'accelerators 2'"},
        Mistake{"accelerators 2\naccelerators 2\n", "2:1: 'accelerators' occurs twice: write it once"},
        Mistake{"accelerators 2\nlink 0 -- 1\nswitches 1\n", "3:1: 'switches' must come before all channels"},
        Mistake{"accelerators 2\nlinks 0 -- 1\n", "2:1: unknown statement 'links': write accelerators"},
        Mistake{"accelerators 2\nlink 0 -> 1\n", "2:8: write a link as in this example: link 0 -- 1"},
        Mistake{"accelerators 2\nchannel 0 1\n", "2:11: write a channel as in this example: channel 0 -> 1"},
        Mistake{"accelerators 2\nchannel 0\n", "2:10: write a channel as in this example: channel 0 -> 1"},
        Mistake{"accelerators 2\nlink 0 -- 2\n", "2:11: a node cannot be 2: it must be 0 to 1"},
        Mistake{"accelerators 2\nlink 0 -- s0\n", "2:11: the network has no switches"},
        Mistake{"accelerators 2\nswitches 1\nlink 0 -- s1\n",
                "3:11: a switch cannot be 1: it must be 0 to 0"},
        Mistake{"accelerators 2\nlink 1 -- 1\n", "2:1: channel 1->1"},
        Mistake{"accelerators 2\nlink 0 -- 1 bandwidth\n", "2:22: 'bandwidth' needs a value"},
        Mistake{"accelerators 2\nlink 0 -- 1 bandwidth 16\n", "2:23: '16' is not a bandwidth"},
        Mistake{"accelerators 2\nlink 0 -- 1 bandwidth \"0 GB/s\"\n", "2:"},
        Mistake{"accelerators 2\nlink 0 -- 1 latency 16GB/s\n", "2:21: '16GB/s' is not a duration"},
        Mistake{"accelerators 2\nlink 0 -- 1 latency 1ns latency 1ns\n",
                "2:25: 'latency' occurs twice on this line"},
        Mistake{"accelerators 2\nlink 0 -- 1 x2 x3\n", "2:16: the multiplicity occurs twice"},
        Mistake{"accelerators 2\nlink 0 -- 1 x0\n", "2:13: a multiplicity cannot be 0: it must be 1 to 1024"},
        Mistake{"accelerators 2\nlink 0 -- 1 speed 3\n", "2:13: unknown word 'speed'"},
        Mistake{"accelerators 3\nlink 0 -- 1\n", "1:14: accelerator 2 has no channel"},
        Mistake{"accelerators 2\nchannel 0 -> 1\n", "1:14: accelerator 0 has no channel into it"},
        Mistake{"accelerators 4\nlink 0 -- 1\nlink 2 -- 3\n",
                "1:14: the graph is not connected: accelerator 0 cannot reach accelerator 2"}));

}  // namespace
}  // namespace coppice::topology
