#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "topology/topology.h"

namespace coppice::topology {

// The graph in Coppice's own format (parse_graph()). Reading it back gives an equal graph, except for
// dimensions.
std::string to_graph(const Topology& topology);
// The graph for Graphviz: accelerators are circles, switches boxes, an edge per channel with its bandwidth,
// latency and dimension. Reading it back gives an equal graph.
std::string to_dot(const Topology& topology);
// The graph as GraphML, which NetworkX, igraph, yEd and Gephi read: nodes with their kind, edges with
// bandwidth_gb_s, latency_ns and dimension. Reading it back gives an equal graph.
std::string to_graphml(const Topology& topology);
// The graph as InfraGraph (YAML): one device of all accelerators (xpu) and switches. Reading it back gives an
// equal graph, except for dimensions. Throws UnsupportedError if a channel has no equal reverse channel,
// since InfraGraph has only two-way links.
std::string to_infragraph(const Topology& topology);
// The graph in TACOS' format: the number of NPUs, then a row per directed link. Its GB/s are 2^30 bytes a
// second. Throws UnsupportedError if there are switches, which TACOS does not support.
std::string to_tacos(const Topology& topology);

// A format for writing networks, under its name on the command line.
struct NetworkForm {
  std::string_view name;
  std::string (*print)(const Topology& topology);
};
std::span<const NetworkForm> network_forms();

// Schema "coppice.topology/1": accelerators, switches, the number of ports of all switches, directed
// channels, links (pairs of channels, one in each direction), the bandwidth of all channels together and of
// an accelerator's channels.
nlohmann::ordered_json to_json(const Topology& topology);

}  // namespace coppice::topology
