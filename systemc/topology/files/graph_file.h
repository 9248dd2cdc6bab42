#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The maximum number of parallel channels per statement.
inline constexpr int kMaxMultiplicity = 1024;

// Defaults for values that a graph file does not specify.
struct GraphFileDefaults {
  LinkSpec link;           // for channels without their own bandwidth or latency
  double efficiency = 1;   // for channels without their own efficiency
  Femtoseconds cycle = 0;  // the unit of the latencies in anynet files
  // Returns why the values that the file sets for a channel are invalid; an empty string if they are valid.
  // nullptr: no check.
  const std::function<std::string(const LinkSpec&)>* objection = nullptr;
};

// A graph of kind kFile that was read from a file, and the defaults that it used; other defaults have no
// effect.
struct GraphFile {
  Topology topology;
  bool uses_default_bandwidth = false;
  bool uses_default_latency = false;
  std::vector<std::string> assumptions{};  // about what the file does not specify, one sentence each
};

// Parses Coppice's own format; `file` is for messages. One statement per line; # starts a comment:
//
//   accelerators 4                                             nodes 0 to 3
//   switches 1                                                 node 4, also called s0; optional
//   channel 0 -> s0 bandwidth "16 GB/s" latency "150 ns"       one direction
//   link 1 -- s0 bandwidth "25 GB/s" efficiency 0.8 x2         both directions, two of each
// The counts must come first. Bandwidth, latency and efficiency (the fraction of the bandwidth that messages
// can use) are optional, in any order, and quoted if they contain a space; x2 is a multiplicity. Channels and
// ports are numbered in the order of the file.
GraphFile parse_graph(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// Parses BookSim2's anynet format: lines of "router R" followed by any number of "router R2" and "node N",
// each with an optional latency in cycles (default 1); also "node N router R". Connections between routers
// are bidirectional; a latency applies to the direction in which it is written. All channels have the default
// bandwidth. Nodes become accelerators, and routers switches, in ascending order. However, a router with a
// single node and no latency to it becomes that accelerator's own router instead of a switch; all other nodes
// are linked to their router, which is a switch.
GraphFile parse_anynet(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

}  // namespace coppice::topology
