#pragma once

#include <string>
#include <string_view>

#include "topology/files/graph_file.h"

// Readers of other tools' network formats. Each throws ConfigError with file:line:col of the error, and lists
// in GraphFile::assumptions its assumptions about details that the file does not specify.
namespace coppice::topology {

// GraphML: nodes with a `kind`, `type` or `role` attribute (accelerator, gpu, ... or switch, ...), and edges
// with bandwidth and latency attributes (named_network.h). An undirected edge is a bidirectional link.
GraphFile parse_graphml(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// Graphviz: nodes and edges with the attributes of GraphML, or with the shapes circle (accelerator) and box
// (switch), as written by to_dot().
GraphFile parse_dot(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// NCCL's dump (NCCL_TOPO_DUMP_FILE) of one server: GPUs are accelerators, numbered by rank. NVSwitches are
// switches; if NVLink does not connect all GPUs, PCIe switches and CPUs are also switches.
GraphFile parse_nccl(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// The topology files of SimAI and of ASTRA-sim's ns-3 backend: a line of counts, a line of switches, then
// lines "src dst rate delay error".
GraphFile parse_ns3(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// TACOS' network CSV: the number of NPUs, a header, then a row "Src,Dest,Latency (ns),Bandwidth (GB/s)" for
// each direction of a link, where a GB/s is 2^30 bytes per second.
GraphFile parse_tacos_network(std::string_view text, const std::string& file,
                              const GraphFileDefaults& defaults);

}  // namespace coppice::topology
