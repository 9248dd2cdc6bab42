#pragma once

#include <string>
#include <vector>

#include "config/settings/loaded.h"
#include "topology/topology.h"

namespace coppice::config {

// Settings of flits, packets and buffers that are left to the machine (`auto`, the default), fitted to its
// network.

// The links of the network, one for each pair of a usable bandwidth and a latency. Empty if there is no
// network or its file cannot be read.
std::vector<topology::LinkSpec> links_of(const Loaded& loaded);

// Resolves automatic values: system.flit is what the fastest link moves in a cycle, a power of two of at
// least 16 B; system.ni.payload 16 flits; system.router.vc_depth covers the credit loop of every link, and is
// at least 318. Values that differ from MultiTree's machine are listed in Config::assumptions.
void fit_machine(Loaded& loaded);

// "file:line:col: warning: ..." for the worst link whose credit loop the buffers do not cover that
// system.router.vc_depth asks for; empty if there is none.
std::vector<std::string> shallow_buffers(const Loaded& loaded);

}  // namespace coppice::config
