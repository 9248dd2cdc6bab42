#include "config/files/network_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/error.h"
#include "config/loader.h"
#include "scratch_file.h"
#include "topology/files/print.h"
#include "topology/topology.h"

namespace coppice::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::StrEq;
using testing::ThrowsMessage;

constexpr topology::LinkSpec kLink{{16'000'000'000}, 150'000'000};
constexpr topology::GraphFileDefaults kDefaults{.link = kLink, .cycle = kFemtosecondsPerNanosecond};

topology::GraphFile read(const std::string& text) {
  const ScratchFile file(text, ".txt");
  return read_network_file(file.path(), kDefaults);
}

std::string complaint(const std::string& text) {
  const ScratchFile file(text);
  try {
    read_network_file(file.path(), kDefaults);
  } catch (const ConfigError& error) {
    return std::string(error.what()).substr(file.path().size() + 1);
  }
  return "accepted";
}

// Two hosts, each with two accelerators and a NIC; the NICs are connected to one switch ASIC.
constexpr const char* kHosts = R"(name: two hosts
devices:
- name: host
  components:
  - {name: xpu, choice: xpu, count: 2}
  - {name: cx, choice: device, count: 2}
  - {name: dram, choice: memory, count: 1}
  links:
  - {name: pcie, physical: {bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 64}, latency: {choice: ns, ns: 100}}}
  - {name: peer, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 800}}}
  edges:
  - {ep1: {component: xpu}, ep2: {device: cx, component: nic}, scheme: one2one, link: pcie}
  - {ep1: {component: xpu}, ep2: {component: xpu}, scheme: many2many, link: peer}
  - {ep1: {component: "xpu[0]"}, ep2: {component: dram}, scheme: one2one, link: peer}
- name: cx
  components:
  - {name: nic, choice: nic, count: 1}
- name: switch
  components:
  - {name: asic, choice: switch, count: 1}
  - {name: port, choice: port, count: 4}
  links:
  - {name: ic}
  edges:
  - {ep1: {component: asic}, ep2: {component: "port[0:4]"}, scheme: many2many, link: ic}
instances:
- {name: host, device: host, count: 2}
- {name: tor, device: switch, count: 1}
links:
- {name: eth, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 400}, latency: {choice: us, us: 0.5}}}
edges:
- {ep1: {instance: host, component: "cx.nic"}, ep2: {instance: "tor[0]", component: port}, scheme: one2one, link: eth}
)";

TEST(NetworkFile, InfragraphsDevicesBecomeAcceleratorsAndSwitches) {
  const topology::GraphFile file = read(kHosts);
  EXPECT_EQ(file.topology.num_accelerators(), 4);
  EXPECT_EQ(file.topology.num_switches(), 1);
  ASSERT_EQ(file.topology.channels().size(), 2 * (4 + 2));
  const topology::Channel& up = file.topology.channel(file.topology.in_channels(4).front());
  EXPECT_EQ(up.bandwidth, Bandwidth{50'000'000'000});
  EXPECT_EQ(up.latency, 600 * kFemtosecondsPerNanosecond);
  EXPECT_THAT(file.assumptions,
              ElementsAre("2 components are dead ends and are left out",
                          StartsWith("8 ports, NICs and similar components with two neighbours"),
                          StartsWith("links without a latency use")));
}

TEST(NetworkFile, WhatIsWrittenAsInfragraphReadsBackEqual) {
  const topology::Topology hosts = read(kHosts).topology;
  const topology::Topology back = read(topology::to_infragraph(hosts)).topology;
  EXPECT_EQ(topology::to_graph(hosts), topology::to_graph(back));
  topology::Topology one_way(topology::Kind::kFile, {}, 2, 0);
  one_way.add_channel(0, 1, {1'000}, 0);
  EXPECT_THAT([&] { topology::to_infragraph(one_way); },
              ThrowsMessage<UnsupportedError>(HasSubstr("only bidirectional links")));
}

std::string with(std::string what, const std::string& instead) {
  std::string text = kHosts;
  return text.replace(text.find(what), what.size(), instead);
}

TEST(NetworkFile, MistakesInInfragraphAreLocated) {
  EXPECT_THAT(complaint(with("port[0:4]", "port[0:5]")), StartsWith("25:35: '[0:5]' is not a slice of 4"));
  EXPECT_THAT(complaint(with("link: peer}", "link: pear}")), HasSubstr("there is no link 'pear'"));
  EXPECT_THAT(complaint(with("device: cx, component: nic", "device: cy, component: nic")),
              HasSubstr("there is no component 'cy'"));
  EXPECT_THAT(
      complaint(with("component: port}, scheme: one2one", "component: \"port[1:]\"}, scheme: one2one")),
      HasSubstr("one2one needs as many endpoints in ep1 as in ep2, not 4 and 3"));
  EXPECT_THAT(complaint(with("scheme: many2many", "scheme: star")),
              HasSubstr("not one of one2one, many2many, ring"));
  EXPECT_THAT(complaint(with("gigabits_per_second: 800", "gigabits_per_second: 1e-12")),
              StartsWith("13:5: channel "));
  EXPECT_THAT(complaint("infrastructure:\n  connections: [a.0.eth.b.0]\n"), HasSubstr("write edges with"));
}

// `choice` names the unit to use. It may be omitted if the bandwidth is given in one unit only.
TEST(NetworkFile, InfragraphBandwidthsNeedNoChoice) {
  const topology::GraphFile named = read(kHosts);
  const topology::GraphFile alone =
      read(with("{choice: gigabits_per_second, gigabits_per_second: 400}", "{gigabits_per_second: 400}"));
  EXPECT_EQ(topology::to_graph(alone.topology), topology::to_graph(named.topology));
  EXPECT_THAT(complaint(with("{choice: gigabits_per_second, gigabits_per_second: 400}",
                             "{gigabits_per_second: 400, gigabytes_per_second: 50}")),
              HasSubstr("choice"));
}

// Each PCIe transfer moves one bit on each of 16 lanes; 128 of every 130 bits are data.
TEST(NetworkFile, InfragraphBandwidthsMayBeTransfers) {
  const auto bandwidth = [](const std::string& unit) {
    return with("{choice: gigabits_per_second, gigabits_per_second: 400}", "{" + unit + ": 32}");
  };
  const topology::GraphFile file = read(bandwidth("gigatransfers_per_second"));
  const topology::Channel& up = file.topology.channel(file.topology.in_channels(4).front());
  EXPECT_NEAR(static_cast<double>(up.bandwidth.bytes_per_second), 32e9 * 16 / 8 * 128 / 130, 1);
  EXPECT_THAT(file.assumptions, Contains(HasSubstr("lanes")));
  EXPECT_THAT(complaint(bandwidth("furlongs_per_fortnight")),
              HasSubstr("'furlongs_per_fortnight' is not one of gigabits_per_second"));
}

TEST(NetworkFile, AnAstraNetworkIsAGraphToo) {
  const topology::GraphFile file = read(
      "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 100, 25 ]\nlatency: [ 20, 500 ]\n");
  EXPECT_EQ(file.topology.num_accelerators(), 8);
  EXPECT_EQ(file.topology.num_switches(), 4);
  EXPECT_EQ(file.topology.channel(0).bandwidth, Bandwidth{100LL << 30});
  EXPECT_THAT(file.assumptions, Contains("a GB/s is 2^30 B/s, as in ASTRA-sim"));
}

TEST(NetworkFile, AssumptionsReachTheConfigurationOnce) {
  const ScratchFile network("2\nSrc,Dest,Latency (ns),Bandwidth (GB/s)\n0,1,500,50\n1,0,500,50\n", ".csv");
  const ScratchFile config("system: {topology: {kind: file, file: " + network.path() +
                           "}}\ncollective: {op: all_reduce, algorithm: ring, size: 1 MiB}\n");
  const Loaded loaded = load(config.path(), {}, Purpose::kRun);
  EXPECT_THAT(loaded.config.assumptions,
              Contains(network.path() + ": a GB/s is 2^30 B/s, as in TACOS").Times(1));
}

TEST(NetworkFile, ReportsWhyAFileCannotBeRead) {
  EXPECT_THAT([] { read_network_file("/nowhere/x.graph", kDefaults); },
              ThrowsMessage<UnsupportedError>(
                  StrEq("cannot read graph file /nowhere/x.graph: No such file or directory")));
  EXPECT_THAT([] { read_network_file(std::filesystem::temp_directory_path().string(), kDefaults); },
              ThrowsMessage<UnsupportedError>(HasSubstr("Is a directory")));
}

}  // namespace
}  // namespace coppice::config
