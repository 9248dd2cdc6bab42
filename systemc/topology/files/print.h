#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "topology/topology.h"

namespace coppice::topology {

// Writes a graph in Coppice's own format (parse_graph()). Reading the result yields an equal graph, except
// that dimensions are lost.
std::string to_graph(const Topology& topology);
// Writes a graph for Graphviz. Accelerators are circles and switches are boxes. Each channel is an edge with
// its bandwidth, latency and dimension. Reading the result yields an equal graph.
std::string to_dot(const Topology& topology);
// Writes a graph as GraphML, which NetworkX, igraph, yEd and Gephi can read. Nodes have the attribute kind;
// edges have the attributes bandwidth_gb_s, latency_ns and dimension. Reading the result yields an equal
// graph.
std::string to_graphml(const Topology& topology);
// Writes a graph as InfraGraph (YAML): one device that contains all accelerators (xpu) and switches. Reading
// the result yields an equal graph, except that dimensions are lost. Throws UnsupportedError if a channel has
// no equal reverse channel, because InfraGraph has only bidirectional links.
std::string to_infragraph(const Topology& topology);
// Writes a graph in TACOS' format: the number of NPUs and a row for each directed link. One GB/s is 2^30
// bytes per second. Throws UnsupportedError if the graph has switches, which TACOS does not support.
std::string to_tacos(const Topology& topology);

// A format in which networks can be written, and its name on the command line.
struct NetworkForm {
  std::string_view name;
  std::string (*print)(const Topology& topology);
};
std::span<const NetworkForm> network_forms();

// Describes a network according to the schema "coppice.topology/1": the numbers of accelerators, switches,
// switch ports, directed channels and links (pairs of channels, one per direction), and the total bandwidths
// of all channels and of one accelerator's channels.
nlohmann::ordered_json to_json(const Topology& topology);

}  // namespace coppice::topology
