#pragma once

#include <string>
#include <string_view>

#include "topology/files/graph_file.h"

// Networks in the formats of other tools. Each reader throws ConfigError with file:line:col of the error, and
// lists in GraphFile::assumptions what the file does not specify.
namespace coppice::topology {

// GraphML: nodes with an attribute kind, type or role (accelerator, gpu, ... or switch, ...), edges with
// bandwidth and latency (named_network.h); an undirected edge is a link with both directions.
GraphFile parse_graphml(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// Graphviz: the attributes of GraphML, or shapes circle (accelerator) and box (switch), as to_dot() writes
// them.
GraphFile parse_dot(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// NCCL's dump (NCCL_TOPO_DUMP_FILE) of one server: GPUs are accelerators by rank; NVSwitches are switches,
// and so are PCIe switches and CPUs if NVLink does not connect all GPUs.
GraphFile parse_nccl(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// The topology text of SimAI and of ASTRA-sim's ns-3 backend: a line of counts, a line of switches, then "src
// dst rate delay error" lines.
GraphFile parse_ns3(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

// TACOS' network CSV: the number of NPUs, a header, then one "Src,Dest,Latency (ns),Bandwidth (GB/s)" row per
// direction, in GB/s of 2^30 bytes a second.
GraphFile parse_tacos_network(std::string_view text, const std::string& file,
                              const GraphFileDefaults& defaults);

}  // namespace coppice::topology
