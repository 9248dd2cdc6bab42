#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "topology/topology.h"

namespace coppice::topology {

// The graph in Coppice's own form (parse_graph()), which reads back equal but for dimensions.
std::string to_graph(const Topology& topology);
// The same for Graphviz: accelerators are circles, switches boxes, an edge per channel with its bandwidth,
// latency and dimension. Reads back equal.
std::string to_dot(const Topology& topology);
// The same as GraphML, which NetworkX, igraph, yEd and Gephi read: nodes with their kind, edges with
// bandwidth_gb_s, latency_ns and dimension. Reads back equal.
std::string to_graphml(const Topology& topology);
// The same as InfraGraph (YAML): one device of all accelerators (xpu) and switches. Reads back equal but for
// dimensions. Throws UnsupportedError where a channel has no equal one back, which InfraGraph cannot state.
std::string to_infragraph(const Topology& topology);
// The same as TACOS reads it: the number of NPUs, then a row per directed link. Its GB/s is 2^30 bytes a
// second. Throws UnsupportedError where there are switches, which TACOS does not know.
std::string to_tacos(const Topology& topology);

// The forms that networks are written in, by their names on the command line.
struct NetworkForm {
  std::string_view name;
  std::string (*print)(const Topology& topology);
};
std::span<const NetworkForm> network_forms();

// Schema "coppice.topology/1": accelerators, switches, the ports of all switches, directed channels, links
// (two channels each, one each way), the bandwidth of all channels together and of an accelerator's.
nlohmann::ordered_json to_json(const Topology& topology);

}  // namespace coppice::topology
