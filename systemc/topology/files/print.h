#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "topology/topology.h"

namespace coppice::topology {

// Writes a graph in Coppice's own format (parse_graph()). Reading it back yields an equal graph, except for
// dimensions.
std::string to_graph(const Topology& topology);
// Writes a graph for Graphviz: accelerators are circles and switches are boxes; each channel is an edge with
// its bandwidth, latency and dimension. Reading it back yields an equal graph.
std::string to_dot(const Topology& topology);
// Writes a graph as GraphML, which NetworkX, igraph, yEd and Gephi read: nodes with their kind, edges with
// bandwidth_gb_s, latency_ns and dimension. Reading it back yields an equal graph.
std::string to_graphml(const Topology& topology);
// Writes a graph as InfraGraph (YAML): one device with all accelerators (xpu) and switches. Reading it back
// yields an equal graph, except for dimensions. Throws UnsupportedError if a channel has no equal reverse
// channel, since InfraGraph has only bidirectional links.
std::string to_infragraph(const Topology& topology);
// Writes a graph in TACOS' format: the number of NPUs, then a row per directed link. A GB/s is 2^30 bytes per
// second. Throws UnsupportedError if there are switches, which TACOS does not support.
std::string to_tacos(const Topology& topology);

// A format for writing networks, and its name on the command line.
struct NetworkForm {
  std::string_view name;
  std::string (*print)(const Topology& topology);
};
std::span<const NetworkForm> network_forms();

// Describes a network by schema "coppice.topology/1": accelerators, switches, total number of switch ports,
// directed channels, links (pairs of channels, one per direction), total bandwidth of all channels and of an
// accelerator's channels.
nlohmann::ordered_json to_json(const Topology& topology);

}  // namespace coppice::topology
