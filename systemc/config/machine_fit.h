#pragma once

#include <string>
#include <vector>

#include "config/settings/loaded.h"
#include "topology/topology.h"

namespace coppice::config {

// Fits the automatic settings (`auto`, the default) of flits, packets and buffers to the machine's network.

// The links of the network, one for each distinct pair of usable bandwidth and latency. Empty if there is no
// network or its file cannot be read.
std::vector<topology::LinkSpec> links_of(const Loaded& loaded);

// Resolves automatic values: system.flit becomes the data that the fastest link moves in a cycle, as a power
// of two of at least 16 B; system.ni.payload becomes 16 flits; system.router.vc_depth covers the credit loop
// of every link, and is at least 318. Values that differ from MultiTree's machine are listed in
// Config::assumptions.
void fit_machine(Loaded& loaded);

// "file:line:col: warning: ..." for the link whose credit loop buffers of system.router.vc_depth cover the
// least; empty if they cover the credit loops of all links.
std::vector<std::string> shallow_buffers(const Loaded& loaded);

}  // namespace coppice::config
