#pragma once

#include <string>
#include <vector>

#include "config/settings/loaded.h"
#include "topology/topology.h"

namespace coppice::config {

// Chooses the sizes of flits, packets and buffers to suit the network, if their keys are `auto` (the
// default).

// The links of the network, one for each distinct pair of usable bandwidth and latency. Empty if there is no
// network, or if its file cannot be read.
std::vector<topology::LinkSpec> links_of(const Loaded& loaded);

// Resolves automatic values. system.flit becomes the smallest power of two of at least 16 B with which the
// fastest link runs at full rate; system.ni.payload becomes 16 flits; and system.router.vc_depth covers the
// credit loop of every link, but is at least 318. Values that differ from those of MultiTree's machine are
// listed in Config::assumptions.
void fit_machine(Loaded& loaded);

// A warning, "file:line:col: warning: ...", if buffers of system.router.vc_depth flits do not cover the
// credit loop of every link. It describes the link that is covered the least. Empty if all links are covered.
std::vector<std::string> shallow_buffers(const Loaded& loaded);

}  // namespace coppice::config
