#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The most parallel channels that one statement makes.
inline constexpr int kMaxMultiplicity = 1024;

// Values that a graph file leaves open.
struct GraphFileDefaults {
  LinkSpec link;           // of channels without a bandwidth or latency of their own
  double efficiency = 1;   // of all channels without one of their own
  Femtoseconds cycle = 0;  // the unit of the latencies in anynet files
  // Returns the objection to a channel with its own values, or an empty string; null: no checks.
  const std::function<std::string(const LinkSpec&)>* objection = nullptr;
};

// A graph from a file, of kind kFile, and which defaults it used: one that it does not use has no effect.
struct GraphFile {
  Topology topology;
  bool uses_default_bandwidth = false;
  bool uses_default_latency = false;
  std::vector<std::string> assumptions{};  // what the file leaves open, a sentence each
};

// Parses Coppice's own format; `file` is for messages. One statement a line, # starts a comment:
//
//   accelerators 4                                             nodes 0 to 3
//   switches 1                                                 node 4, also called s0; optional
//   channel 0 -> s0 bandwidth "16 GB/s" latency "150 ns"       one way
//   link 1 -- s0 bandwidth "25 GB/s" efficiency 0.8 x2         both ways, two of each
//
// The counts come first. Bandwidth, latency and efficiency, the share of the bandwidth that messages can use,
// are optional, in any order, quoted where they hold a space; x2 is any multiplicity. Channels get numbers
// and ports in the order of the file.
GraphFile parse_graph(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// Parses BookSim2's anynet format: lines of "router R" followed by any number of "router R2" and "node N",
// each with an optional latency in cycles, 1 if there is none; also "node N router R". Router connections
// work both ways; a latency counts for the direction it is written in. All channels have the default
// bandwidth. Accelerators are the nodes and switches the routers in ascending order. A router that has a
// single node, with no latency written, is that accelerator's own router and not a switch; elsewhere nodes
// are linked to their router, which is a switch.
GraphFile parse_anynet(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

}  // namespace coppice::topology
