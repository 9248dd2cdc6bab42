#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "topology/topology.h"

namespace coppice::topology {

// The graph for Graphviz: accelerators are circles, switches boxes, an edge per channel with its bandwidth
// and latency.
std::string to_dot(const Topology& topology);
// The same as GraphML, which NetworkX, igraph, yEd and Gephi read: nodes with their kind, edges with
// bandwidth_gb_s, latency_ns and dimension.
std::string to_graphml(const Topology& topology);
// The same as TACOS reads it: the number of NPUs, then a row per directed link. Its GB/s is 2^30 bytes a
// second. Throws UnsupportedError where there are switches, which TACOS does not know.
std::string to_tacos(const Topology& topology);

// Schema "coppice.topology/1": accelerators, switches, the ports of all switches, directed channels, links
// (two channels each, one each way), the bandwidth of all channels together and of an accelerator's.
nlohmann::ordered_json to_json(const Topology& topology);

}  // namespace coppice::topology
