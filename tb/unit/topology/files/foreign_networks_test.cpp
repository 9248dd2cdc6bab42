#include "topology/files/foreign_networks.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "sample_links.h"
#include "topology/files/parse_network.h"
#include "topology/files/print.h"
#include "topology/networks/kinds.h"

namespace coppice::topology {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr GraphFileDefaults kDefaults{.link = kSampleLink, .cycle = kFemtosecondsPerNanosecond};
constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;

GraphFile read(const std::string& text) {
  return parse_network(text, "f", kDefaults);
}

std::string complaint(const std::string& text) {
  try {
    read(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_equal(const Topology& a, const Topology& b) {
  EXPECT_EQ(a.num_accelerators(), b.num_accelerators());
  EXPECT_EQ(a.num_switches(), b.num_switches());
  ASSERT_EQ(a.channels().size(), b.channels().size());
  for (std::size_t i = 0; i < a.channels().size(); ++i) {
    const Channel& x = a.channels()[i];
    const Channel& y = b.channels()[i];
    EXPECT_TRUE(x.src == y.src && x.dst == y.dst && x.bandwidth == y.bandwidth && x.latency == y.latency)
        << i;
  }
}

// A network with different bandwidths, parallel links, switches and one-way channels.
Topology uneven() {
  Topology topology(Kind::kFile, {}, 3, 2);
  const Bandwidth odd{26'843'545'601};
  for (const NodeId node : {0, 1, 2}) {
    topology.add_channel(node, 3, odd, 150 * kNs + 1, 1);
    topology.add_channel(3, node, odd, 150 * kNs + 1, 1);
  }
  topology.add_channel(0, 4, {1'000'000'007}, 0, 0);
  topology.add_channel(4, 1, {1'000'000'007}, 7, 0);
  for (int i = 0; i < 3; ++i) {
    topology.add_channel(1, 2, {25'000'000'000}, kNs, 2);
    topology.add_channel(2, 1, {25'000'000'000}, kNs, 2);
  }
  return topology;
}

TEST(ForeignNetworks, WhatIsWrittenReadsBackEqual) {
  for (const Topology& topology :
       {uneven(), make_topology(Kind::kFatTree, std::vector{4, 2, 2}, std::vector{kSampleLink})}) {
    for (const auto& print : {to_graph, to_graphml, to_dot}) {
      SCOPED_TRACE(print(topology).substr(0, 40));
      expect_equal(topology, read(print(topology)).topology);
    }
  }
}

TEST(ForeignNetworks, GraphmlAndDotKeepDimensions) {
  const Topology topology = uneven();
  for (const auto& print : {to_graphml, to_dot}) {
    const Topology back = read(print(topology)).topology;
    for (std::size_t i = 0; i < topology.channels().size(); ++i) {
      EXPECT_EQ(back.channels()[i].dimension, topology.channels()[i].dimension);
    }
  }
}

TEST(ForeignNetworks, GraphmlOfOtherToolsStatesUnitsInNamesOrValues) {
  const GraphFile file = read(R"(<?xml version="1.0"?>
<graphml>
  <key id="d0" for="node" attr.name="type"/>
  <key id="d1" for="edge" attr.name="capacity"/>
  <key id="d2" for="edge" attr.name="delay_us"/>
  <graph edgedefault="undirected">
    <node id="leaf"><data key="d0">switch</data></node>
    <node id="a"><data key="d0">GPU</data></node>
    <node id="b"><data key="d0">GPU</data></node>
    <edge source="a" target="leaf"><data key="d1">200 Gb/s</data><data key="d2">0.5</data></edge>
    <edge source="leaf" target="b"><data key="d1">25GBps</data></edge>
  </graph>
</graphml>)");
  EXPECT_EQ(file.topology.num_accelerators(), 2);
  EXPECT_EQ(file.topology.num_switches(), 1);
  ASSERT_EQ(file.topology.channels().size(), 4);
  EXPECT_EQ(file.topology.channel(0).bandwidth, Bandwidth{25'000'000'000});
  EXPECT_EQ(file.topology.channel(0).latency, 500 * kNs);
  EXPECT_EQ(file.topology.channel(2).bandwidth, Bandwidth{25'000'000'000});
  EXPECT_TRUE(file.uses_default_latency);
  EXPECT_THAT(file.assumptions, Contains(StartsWith("links without a latency use system.link.latency")));
}

TEST(ForeignNetworks, GraphmlNeedsUnits) {
  EXPECT_THAT(complaint("<graphml>\n<graph>\n<node id='a'/><node id='b'/>\n"
                        "<edge source='a' target='b'><data key='weight'>3</data></edge></graph></graphml>"),
              StartsWith("f:4:30: weight '3' has no unit: write \"25 GB/s\""));
  EXPECT_THAT(complaint("<graphml><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>"),
              HasSubstr("there is no node 'b'"));
}

TEST(ForeignNetworks, DotOfOtherTools) {
  const GraphFile file = read(R"(/* a rack */ graph rack {
  rankdir = LR; node [shape=circle]; edge [bandwidth="100 Gb/s"];
  subgraph cluster_spines { s1 [shape=box]; s2 [shape=box, label="two"] }
  a -- { s1 s2 } [delay="1 us"]; // both
  b:port -- s1 -- c;
})");
  EXPECT_EQ(file.topology.num_accelerators(), 3);
  EXPECT_EQ(file.topology.num_switches(), 2);
  ASSERT_EQ(file.topology.channels().size(), 8);
  EXPECT_EQ(file.topology.channel(0).bandwidth, Bandwidth{12'500'000'000});
  EXPECT_EQ(file.topology.channel(0).latency, 1000 * kNs);
  EXPECT_EQ(file.topology.channel(7).latency, kSampleLink.latency);
  EXPECT_THAT(complaint("digraph {\n  a -> b [bandwidth=10]\n}"),
              StartsWith("f:2:3: bandwidth '10' has no unit"));
  EXPECT_THAT(complaint("digraph {\n  a -> ;"), StartsWith("f:2:8: expected a node here"));
  EXPECT_THAT(complaint("digraph { a -> b"), HasSubstr("a } is missing"));
  EXPECT_THAT(complaint("digraph " + std::string(1000, '{')), HasSubstr("subgraphs are nested more than"));
}

// An NCCL topology dump of a server with `gpus` GPUs per CPU. `links` returns the links of a GPU.
std::string dump(int cpus, int gpus, const std::string& sm, const std::function<std::string(int)>& links) {
  std::string text = "<system version=\"1\">\n";
  for (int cpu = 0; cpu < cpus; ++cpu) {
    text += "<cpu numaid=\"" + std::to_string(cpu) + "\" arch=\"x86_64\" vendor=\"AuthenticAMD\">\n";
    text += "<pci busid=\"0000:" + std::to_string(cpu) +
            "0:00.0\" class=\"0x060400\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">1\n";
    for (int i = 0; i < gpus; ++i) {
      const int rank = cpu * gpus + i;
      text += "<pci busid=\"gpu" + std::to_string(rank) +
              "\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" +
              std::to_string(rank) + "\" sm=\"" + sm + "\" rank=\"" + std::to_string(rank) + "\">" +
              links(rank) + "</gpu></pci>\n";
    }
    text += "</pci>\n<nic><net name=\"mlx5_0\" dev=\"0\" speed=\"200000\" port=\"1\"/></nic></cpu>\n";
  }
  return text + "</system>\n";
}

TEST(ForeignNetworks, NcclsNvswitchesJoinTheGpusOfADgxA100) {
  const GraphFile file = read(dump(2, 4, "80", [](int) {
    std::string links;
    for (int i = 4; i < 10; ++i) {
      links += "<nvlink target=\"0000:c" + std::to_string(i) + ":00.0\" count=\"2\" tclass=\"0x068000\"/>";
    }
    return links;
  }));
  EXPECT_EQ(file.topology.num_accelerators(), 8);
  EXPECT_EQ(file.topology.num_switches(), 6);
  ASSERT_EQ(file.topology.channels().size(), 8 * 6 * 2 * 2);
  EXPECT_EQ(file.topology.channel(0).bandwidth, Bandwidth{25'000'000'000});
  EXPECT_THAT(file.assumptions, ElementsAre("an NVLink of these GPUs (sm 80) has 25 GB/s in each direction",
                                            StartsWith("NVLink connects all"),
                                            HasSubstr("its 2 network ports, 50 GB/s in total"),
                                            StartsWith("links without a latency")));
}

TEST(ForeignNetworks, NcclsGpusAreConnectedByNvlinkOrElseByPcie) {
  const auto pairs = [](int rank) {  // pairs 0-1 and 2-3
    return "<nvlink target=\"gpu" + std::to_string(rank ^ 1) + "\" count=\"4\" tclass=\"0x030200\"/>";
  };
  const GraphFile one = read(dump(1, 2, "90", pairs));
  EXPECT_EQ(one.topology.num_switches(), 0);
  EXPECT_EQ(one.topology.channels().size(), 8);
  const GraphFile two = read(dump(2, 2, "90", pairs));
  // The two PCIe switches remain. Each CPU has only two neighbours, so it becomes part of the link between
  // them.
  EXPECT_EQ(two.topology.num_switches(), 2);
  EXPECT_EQ(two.topology.channels().size(), 2 * (2 * 4 + 4 + 1));
  EXPECT_EQ(two.topology.channels().back().bandwidth, Bandwidth{31'507'692'308});
  EXPECT_THAT(two.assumptions, Contains(StartsWith("every pair of CPUs is connected by a link of 16 GB/s")));
}

TEST(ForeignNetworks, MistakesInNcclsDumpsAreLocated) {
  EXPECT_THAT(complaint("<system></system>"), HasSubstr("this NCCL dump has no <gpu>"));
  EXPECT_THAT(complaint("<system><cpu></system>"), HasSubstr("not valid XML"));
  EXPECT_THAT(complaint(dump(1, 2, "80", [](int) { return "\n<nvlink count=\"1\"/>"; })),
              StartsWith("f:5:2: <nvlink> has no attribute target"));
}

TEST(ForeignNetworks, SimaisTextHasUnitsAndSwitches) {
  const GraphFile file = read(
      "6 4 1 1 7 H100\n4 5\n0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 0.000025ms 0\n"
      "2 4 2880Gbps 0.000025ms 0\n3 4 2880Gbps 0.000025ms 0\n0 5 400Gbps 0.0005ms 0\n"
      "1 5 400Gbps 0.0005ms 0\n2 5 400Gbps 0.0005ms 0\n");
  EXPECT_EQ(file.topology.num_accelerators(), 4);
  EXPECT_EQ(file.topology.num_switches(), 2);
  EXPECT_EQ(file.topology.channels().size(), 14);
  EXPECT_EQ(file.topology.channel(0).bandwidth, Bandwidth{360'000'000'000});
  EXPECT_EQ(file.topology.channel(0).latency, 25 * kNs);
  EXPECT_EQ(file.topology.channel(8).latency, 500 * kNs);
  EXPECT_THAT(complaint("2 0 2\n0 1 1Gbps 1ns 0\n"),
              StartsWith("f:1:1: the first line states 2 links, but 1 follow"));
  EXPECT_THAT(complaint("2 0 1\n0 1 1Gbs 1ns 0\n"), StartsWith("f:2:5: '1Gbs' is not a bandwidth"));
  EXPECT_THAT(complaint("2 0 1\n0 2 1Gbps 1ns 0\n"), StartsWith("f:2:3: a node cannot be 2"));
}

TEST(ForeignNetworks, TacosChannelsAreOneWay) {
  const Topology ring =
      read("3\nSrc,Dest,Latency (ns),Bandwidth (GB/s)\n0,1,500,50\n1,2,500,50\n2,0,500,50\n").topology;
  ASSERT_EQ(ring.channels().size(), 3);
  EXPECT_EQ(ring.channel(0).bandwidth, Bandwidth{50LL << 30});
  EXPECT_EQ(ring.channel(0).latency, 500 * kNs);
  EXPECT_THAT(complaint("2\nSrc,Dest,Latency (ns),Bandwidth (GB/s)\n0,1,fast,50\n"),
              StartsWith("f:3:1: a latency must be a number"));
  expect_equal(ring, read(to_tacos(ring)).topology);
}

// The link rate depends on the GPU generation, from P100 to B200. Some cards have links with fewer lanes.
TEST(ForeignNetworks, NcclsLinksHaveTheRateOfTheirGeneration) {
  const std::vector<std::pair<const char*, std::int64_t>> rates{
      {"60", 20'000'000'000}, {"70", 25'000'000'000}, {"86", 14'062'500'000},
      {"89", 14'062'500'000}, {"90", 25'000'000'000}, {"100", 50'000'000'000}};
  for (const auto& [sm, rate] : rates) {
    const GraphFile file = read(dump(1, 2, sm, [](int rank) {
      return "<nvlink target=\"gpu" + std::to_string(1 - rank) + "\" count=\"1\" tclass=\"0x030200\"/>";
    }));
    EXPECT_EQ(file.topology.channel(0).bandwidth, Bandwidth{rate}) << sm;
  }
}

// A switch's ports and bandwidth are those of its outgoing channels.
TEST(ToJson, CountsPortsAndBandwidth) {
  const nlohmann::ordered_json counted = to_json(uneven());
  EXPECT_EQ(counted["accelerators"], 3);
  EXPECT_EQ(counted["switches"], 2);
  EXPECT_EQ(counted["switch_ports"], 4);
  EXPECT_EQ(counted["channels"], 14);
  EXPECT_EQ(counted["links"], 7.0);
  constexpr double kOdd = 26.843545601;
  constexpr double kSlow = 1.000000007;
  EXPECT_DOUBLE_EQ(counted["bandwidth_gb_s"].get<double>(), 6 * kOdd + 2 * kSlow + 6 * 25);
  EXPECT_DOUBLE_EQ(counted["injection_gb_s"].get<double>(), (3 * kOdd + kSlow + 6 * 25) / 3);
}

}  // namespace
}  // namespace coppice::topology
