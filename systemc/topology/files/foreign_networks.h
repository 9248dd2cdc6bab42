#pragma once

#include <string>
#include <string_view>

#include "topology/files/graph_file.h"

// Readers of other tools' network formats. Each throws ConfigError with file:line:col of the error, and
// states in GraphFile::assumptions what it assumes where the file specifies nothing.
namespace coppice::topology {

// GraphML: nodes with an attribute kind, type or role (accelerator, gpu, ... or switch, ...), and edges with
// bandwidth and latency (named_network.h). An undirected edge is a two-way link.
GraphFile parse_graphml(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// Graphviz: the same attributes as in GraphML, or shapes circle (accelerator) and box (switch), as written by
// to_dot().
GraphFile parse_dot(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// NCCL's dump (NCCL_TOPO_DUMP_FILE) of one server: GPUs are accelerators, numbered by rank. NVSwitches are
// switches; if NVLink does not connect all GPUs, PCIe switches and CPUs are also switches.
GraphFile parse_nccl(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// The topology files of SimAI and of ASTRA-sim's ns-3 backend: a line of counts, a line of switches, then
// lines "src dst rate delay error".
GraphFile parse_ns3(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// TACOS' network CSV: the number of NPUs, a header, then one "Src,Dest,Latency (ns),Bandwidth (GB/s)" row per
// direction, where a GB/s is 2^30 bytes per second.
GraphFile parse_tacos_network(std::string_view text, const std::string& file,
                              const GraphFileDefaults& defaults);

}  // namespace coppice::topology
