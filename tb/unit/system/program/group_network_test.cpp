#include "system/program/group_network.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>
#include <string>

#include "schedule/registry.h"
#include "small_program.h"

namespace coppice::system {
namespace {

using ::testing::ElementsAre;
using Kind = GroupNetwork::Kind;
using Members = std::vector<topology::NodeId>;

GroupNetwork network_of(const SmallMachine& machine, const Members& members) {
  return {machine.loaded(), machine.topology(), machine.routing(), members};
}

// The nodes that a route visits in a machine, and the interface port at which it ends; -1 if it does not end
// at an interface.
struct Way {
  Members nodes;
  int ni_port = -1;
};

Way follow(const topology::Topology& topology, topology::NodeId at, const topology::Route& route) {
  Way way;
  for (const topology::Hop& hop : route) {
    way.nodes.push_back(at);
    const auto out = topology.out_channels(at);
    if (hop.out_port >= out.size()) {
      way.ni_port = &hop == &route.back() ? hop.out_port - static_cast<int>(out.size()) : -1;
      return way;
    }
    at = topology.channel(out[hop.out_port]).dst;
  }
  return way;
}

TEST(GroupNetwork, IsOfTheKindThatTheMembersSpan) {
  const SmallMachine torus("kind: torus, dims: [4, 3]");
  const auto kind = [](const SmallMachine& machine, const Members& members) {
    return network_of(machine, members).kind();
  };
  Members all(12);
  std::iota(all.begin(), all.end(), 0);
  std::ranges::reverse(all);
  EXPECT_EQ(kind(torus, all), Kind::kWhole);
  EXPECT_TRUE(std::ranges::is_sorted(network_of(torus, all).accelerators()));
  EXPECT_EQ(kind(torus, {7, 4, 5, 6}), Kind::kGrid);   // forms a row
  EXPECT_EQ(kind(torus, {2, 6, 10}), Kind::kGrid);     // forms a column
  EXPECT_EQ(kind(torus, {5, 6, 9, 10}), Kind::kGrid);  // forms a rectangle, which is a mesh
  // Members that do not form a grid but are connected by links: three of four columns, or an L shape. Two
  // accelerators without a common link are connected by routes.
  EXPECT_EQ(kind(torus, {0, 1, 2, 4, 5, 6, 8, 9, 10}), Kind::kLinks);
  EXPECT_EQ(kind(torus, {0, 1, 5}), Kind::kLinks);
  EXPECT_EQ(kind(torus, {0, 6}), Kind::kRouted);
  const SmallMachine tree("kind: fat_tree, dims: [4, 2]");
  EXPECT_EQ(kind(tree, {0, 1}), Kind::kRouted);
  const SmallMachine levels(
      "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, bandwidth: 16 GB/s, latency: 100 ns}, "
      "{kind: "
      "switch, size: 4, "
      "bandwidth: 8 GB/s, latency: 200 ns}]");
  EXPECT_EQ(kind(levels, {4, 5, 6, 7}), Kind::kLevels);
  EXPECT_EQ(kind(levels, {1, 5, 9}), Kind::kLevels);   // spans part of a switch
  EXPECT_EQ(kind(levels, {4, 5, 6}), Kind::kRouted);   // spans part of a ring
  EXPECT_EQ(kind(levels, {1, 5, 10}), Kind::kRouted);  // is not a box
}

// If a group spans no dimension completely, its network is a mesh with the links of the dimensions that it
// spans partially.
TEST(GroupNetwork, HasTheLinksOfItsDimensions) {
  const SmallMachine machine(
      "kind: torus, dims: [4, 4, 2]",
      {"system.link.bandwidth=[16 GB/s, 8 GB/s, 4 GB/s]", "system.link.latency=[10 ns, 20 ns, 30 ns]"});
  const GroupNetwork column = network_of(machine, {29, 17, 25, 21});
  EXPECT_EQ(column.shape(), "torus 4 8000000000 20000000");
  EXPECT_THAT(column.accelerators(), ElementsAre(17, 21, 25, 29));
  EXPECT_EQ(column.member(25), 2);
  EXPECT_EQ(network_of(machine, {13, 9, 1, 5}).shape(), column.shape());
  const GroupNetwork box = network_of(machine, {1, 2, 17, 18});
  EXPECT_EQ(box.kind(), Kind::kLinks);  // spans the last dimension completely, but not the first
  const GroupNetwork plane = network_of(machine, {5, 6, 9, 10});
  EXPECT_EQ(plane.shape(), "mesh 2x2 16000000000 10000000 8000000000 20000000");
}

// In a routed group, members keep the order in which the collective lists them.
TEST(GroupNetwork, KeepsTheOrderOfRoutedGroups) {
  const SmallMachine tree("kind: fat_tree, dims: [4, 2]");
  EXPECT_THAT(network_of(tree, {5, 0, 3}).accelerators(), ElementsAre(5, 0, 3));
  EXPECT_EQ(network_of(tree, {5, 0, 3}).member(3), 2);
}

// Every route between two accelerators ends at the interface port that belongs to its last channel.
RC_GTEST_PROP(MachineRoute, EndsAtThePortOfItsLastChannel, ()) {
  const SmallMachine machine(*rc::gen::element<std::string>(
      "kind: torus, dims: [3, 4]", "kind: mesh, dims: [2, 3, 2]", "kind: fat_tree, dims: [4, 2]",
      "kind: bigraph, dims: [2, 4]", "kind: dgx1"));
  const topology::Topology& topology = machine.topology();
  const auto below = [](int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); };
  const int n = topology.num_accelerators();
  const topology::NodeId src = below(n);
  const topology::NodeId dst = (src + 1 + below(n - 1)) % n;
  const int ports = 1 + below(machine.ni_ports());
  const Way way =
      follow(topology, src, topology::machine_route(topology, machine.routing(), src, dst, ports));
  RC_ASSERT(way.nodes.back() == dst);
  const topology::NodeId before = way.nodes[way.nodes.size() - 2];
  std::set<int> arrives;
  for (const auto id : topology.in_channels(dst)) {
    if (topology.channel(id).src == before) arrives.insert(topology.channel(id).dst_port % ports);
  }
  RC_ASSERT(arrives.contains(way.ni_port));
}

// Compiles a schedule for a group's network and places it on the machine. All messages must go between
// members, and they may pass through other accelerators only if the group is routed.
RC_GTEST_PROP(GroupNetwork, PlacesSchedulesWithinTheGroup, ()) {
  const SmallMachine machine(*rc::gen::element<std::string>(
      "kind: torus, dims: [4, 3]", "kind: mesh, dims: [3, 2, 2]", "kind: fat_tree, dims: [4, 2]",
      "kind: hierarchy, dimensions: [{kind: ring, size: 3, links: 2, bandwidth: 16 GB/s, latency: 100 ns}, "
      "{kind: switch, size: 4, bandwidth: 8 GB/s, latency: 500 ns}]",
      "kind: hierarchy, dimensions: [{kind: switch, size: 3, bandwidth: 16 GB/s, latency: 50 ns}, {kind: "
      "fully_connected, "
      "size: "
      "2, bandwidth: 8 GB/s, latency: 70 ns}, {kind: ring, size: 2, links: 2, bandwidth: 2 GB/s, latency: 90 "
      "ns}]",
      "kind: dgx1"));
  const topology::Topology& topology = machine.topology();
  const auto below = [](int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); };
  Members members;
  if (below(2) == 0) {
    // Chooses members at a constant stride, which sometimes form a box.
    const int stride = *rc::gen::element(1, 2, 3, 4);
    const int from = below(topology.num_accelerators());
    for (int at = from; at < topology.num_accelerators() && static_cast<int>(members.size()) < 4;
         at += stride) {
      members.push_back(at);
    }
  } else {
    for (int at = 0; at < topology.num_accelerators(); ++at) {
      if (below(2) == 0) members.push_back(at);
    }
  }
  RC_PRE(members.size() > 1U);
  const Members given = members;
  const GroupNetwork network = network_of(machine, members);
  RC_TAG(static_cast<int>(network.kind()));
  Members sorted = network.accelerators();
  std::ranges::sort(sorted);
  RC_ASSERT(sorted == given);
  const int ports = machine.ni_ports();
  schedule::CompileRequest request{.collective = topology::Collective::kAllReduce,
                                   .size = Bytes{8} * static_cast<Bytes>(members.size()),
                                   .ni_ports = resolve_ni_ports(machine.loaded().config, network.topology()),
                                   .routing = &network.routing()};
  const char* const algorithm = *rc::gen::element("ring", "multitree");
  const schedule::Schedule own = schedule::make_compiler(algorithm)->compile(network.topology(), request);
  const schedule::Schedule placed = network.place(own, ports);
  const auto machines = [&](topology::NodeId node) {
    return node < 0 ? node : network.accelerators()[static_cast<std::size_t>(node)];
  };
  std::size_t messages = 0;
  for (std::size_t node = 0; node < placed.nodes.size(); ++node) {
    RC_ASSERT(static_cast<int>(placed.nodes[node].ports.size()) == ports || network.kind() == Kind::kWhole);
    std::multiset<std::pair<topology::NodeId, Bytes>> sent;
    for (const auto& table : placed.nodes[node].ports) {
      for (const schedule::TableEntry& entry : table) {
        if (entry.op == schedule::Op::kNop) continue;
        ++messages;
        sent.emplace(entry.destination(), entry.address);
        const topology::NodeId src = machines(static_cast<topology::NodeId>(node));
        const Way way = follow(topology, src, placed.routes[static_cast<std::size_t>(entry.route)]);
        RC_ASSERT(way.nodes.front() == src);
        RC_ASSERT(way.nodes.back() == entry.destination());
        RC_ASSERT(way.ni_port >= 0);
        RC_ASSERT(way.ni_port < ports);
        RC_ASSERT(std::ranges::find(given, entry.destination()) != given.end());
        if (network.kind() == Kind::kRouted) continue;
        for (std::size_t i = 1; i + 1 < way.nodes.size(); ++i) {
          RC_ASSERT(!topology.is_accelerator(way.nodes[i]) ||
                    std::ranges::find(given, way.nodes[i]) != given.end());
        }
      }
    }
    // Each message that this member sends in the group's own network must occur exactly once.
    for (const auto& table : own.nodes[node].ports) {
      for (const schedule::TableEntry& entry : table) {
        if (entry.op == schedule::Op::kNop) continue;
        const auto found = sent.find({machines(entry.destination()), entry.address});
        RC_ASSERT(found != sent.end());
        sent.erase(found);
      }
    }
    RC_ASSERT(sent.empty());
  }
  RC_ASSERT(messages > 0U);
}

// A random strongly connected graph: a one-way ring through all nodes, plus random links and one-way
// channels, some of which are parallel. Most nodes have as many incoming as outgoing channels.
std::string random_graph() {
  const auto below = [](int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); };
  const int accelerators = 3 + below(4);
  const int switches = below(3);
  const int nodes = accelerators + switches;
  const auto name = [&](int node) {
    return node < accelerators ? std::to_string(node) : "s" + std::to_string(node - accelerators);
  };
  std::string text = "accelerators " + std::to_string(accelerators) + "\n";
  if (switches > 0) text += "switches " + std::to_string(switches) + "\n";
  for (int node = 0; node < nodes; ++node) {
    text += "channel " + name(node) + " -> " + name((node + 1) % nodes) + "\n";
  }
  for (int more = below(2 * nodes); more > 0; --more) {
    const int from = below(nodes);
    const int to = (from + 1 + below(nodes - 1)) % nodes;
    const std::string speed =
        below(2) == 0 ? "" : " bandwidth \"" + std::to_string(1 + below(16)) + " GB/s\"";
    text += (below(2) == 0 ? "channel " + name(from) + " -> " : "link " + name(from) + " -- ") + name(to) +
            speed + "\n";
  }
  return text;
}

// On any graph, a placed message ends at the interface port of its last channel, like the machine's own
// messages.
RC_GTEST_PROP(GroupNetwork, EndsAtThePortsOfTheMachineOnAnyGraph, ()) {
  const TemporaryDirectory folder;
  const std::string graph = random_graph();
  RC_LOG() << graph;
  std::ofstream(folder.file("g.graph")) << graph;
  const SmallMachine machine("kind: file, file: " + folder.file("g.graph"), {"system.router.vcs=8"});
  const topology::Topology& topology = machine.topology();
  const auto below = [](int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); };
  Members members;
  for (int at = 0; at < topology.num_accelerators(); ++at) {
    if (below(3) > 0) members.push_back(at);
  }
  RC_PRE(members.size() > 1U);
  const GroupNetwork network = network_of(machine, members);
  RC_TAG(static_cast<int>(network.kind()));
  const int ports = machine.ni_ports();
  const schedule::CompileRequest request{
      .collective = topology::Collective::kAllGather,
      .size = Bytes{8} * static_cast<Bytes>(members.size()),
      .ni_ports = resolve_ni_ports(machine.loaded().config, network.topology()),
      .routing = &network.routing()};
  const char* const algorithm = *rc::gen::element("ring", "direct");
  const schedule::Schedule placed =
      network.place(schedule::make_compiler(algorithm)->compile(network.topology(), request), ports);
  for (std::size_t node = 0; node < placed.nodes.size(); ++node) {
    const topology::NodeId src = network.accelerators()[node];
    for (const auto& table : placed.nodes[node].ports) {
      for (const schedule::TableEntry& entry : table) {
        if (entry.op == schedule::Op::kNop) continue;
        const auto& route = placed.routes[static_cast<std::size_t>(entry.route)];
        RC_ASSERT(follow(topology, src, route).nodes.back() == entry.destination());
        topology::NodeId at = src;
        int arrives = 0;
        for (std::size_t hop = 0; hop + 1 < route.size(); ++hop) {
          const auto& channel = topology.channel(topology.out_channels(at)[route[hop].out_port]);
          at = channel.dst;
          arrives = channel.dst_port % ports;
        }
        RC_ASSERT(route.back().out_port == static_cast<int>(topology.out_channels(at).size()) + arrives);
      }
    }
  }
}

}  // namespace
}  // namespace coppice::system
