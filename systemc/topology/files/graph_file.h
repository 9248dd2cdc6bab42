#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The maximum number of parallel channels that a statement can create.
inline constexpr int kMaxMultiplicity = 1024;

// The values to use if a graph file does not specify them.
struct GraphFileDefaults {
  LinkSpec link;           // for channels without a bandwidth or latency
  double efficiency = 1;   // for channels without an efficiency
  Femtoseconds cycle = 0;  // unit of the latencies in anynet files
  // Returns the reason why the values that the file sets for a channel are invalid; empty if they are valid.
  // If this is nullptr, the values are not checked.
  const std::function<std::string(const LinkSpec&)>* objection = nullptr;
};

// A graph of kind kFile that was read from a file. `uses_default_bandwidth` and `uses_default_latency` state
// whether it depends on these defaults.
struct GraphFile {
  Topology topology;
  bool uses_default_bandwidth = false;
  bool uses_default_latency = false;
  // Assumptions about details that the file does not specify, one sentence each.
  std::vector<std::string> assumptions{};
};

// Parses Coppice's own format; `file` is the name of the file in error messages. A line contains one
// statement, and # starts a comment:
//
//   accelerators 4                                             nodes 0 to 3
//   switches 1                                                 node 4, also called s0; optional
//   channel 0 -> s0 bandwidth "16 GB/s" latency "150 ns"       one direction
//   link 1 -- s0 bandwidth "25 GB/s" efficiency 0.8 x2         both directions, two of each
// The counts must come first. Bandwidth, latency and efficiency (the fraction of the bandwidth that messages
// can use) are optional, may be in any order, and must be quoted if they contain a space. x2 creates two
// parallel links. Channels and ports are numbered in the order of the file.
GraphFile parse_graph(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// Parses BookSim2's anynet format. A line consists of "router R" followed by any number of "router R2" and
// "node N", each with an optional latency in cycles (default 1); "node N router R" is also valid. Connections
// between routers are bidirectional, but a latency applies only to the direction in which it is written. All
// channels have the default bandwidth. Nodes become accelerators and routers become switches, in ascending
// order. However, if a router has a single node and the latency between them is not given, the router becomes
// the accelerator's own router instead of a switch. All other nodes are linked to their router, which is a
// switch.
GraphFile parse_anynet(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

}  // namespace coppice::topology
