#pragma once

#include <string>
#include <string_view>

#include "topology/files/graph_file.h"

// Readers for the network formats of other tools. Each reader throws ConfigError, with the file:line:col of
// the error, if the file is invalid. Details that a file does not specify are assumed, and the assumptions
// are listed in GraphFile::assumptions.
namespace coppice::topology {

// Reads GraphML: nodes with a `kind`, `type` or `role` attribute (accelerator, gpu, ... or switch, ...), and
// edges with bandwidth and latency attributes (named_network.h). An undirected edge is a bidirectional link.
GraphFile parse_graphml(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// Reads Graphviz: nodes and edges have the same attributes as in GraphML. Nodes may instead have the shapes
// circle (accelerator) and box (switch), which to_dot() writes.
GraphFile parse_dot(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// Reads NCCL's dump of one server (NCCL_TOPO_DUMP_FILE). GPUs are accelerators, numbered by rank. NVSwitches
// are switches. If NVLink does not connect all GPUs, PCIe switches and CPUs are also switches.
GraphFile parse_nccl(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// Reads the topology files of SimAI and of ASTRA-sim's ns-3 backend: a line of counts, a line that lists the
// switches, and a line "src dst rate delay error" for each link.
GraphFile parse_ns3(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// Reads the network CSV of TACOS: the number of NPUs, a header, and a row "Src,Dest,Latency (ns),Bandwidth
// (GB/s)" for each direction of a link. One GB/s is 2^30 bytes per second.
GraphFile parse_tacos_network(std::string_view text, const std::string& file,
                              const GraphFileDefaults& defaults);

}  // namespace coppice::topology
