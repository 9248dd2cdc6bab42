#pragma once

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "topology/topology.h"

namespace coppice::system {

// Adds channel utilization to a result: `link_utilization`, the {mean, max} fraction of time for which
// channels were busy, and `channels`, a list of {src, dst, bytes, busy}. The heads of packets and messages
// count as bytes and busy time.
void write_channels(const config::SystemConfig& system, const topology::Topology& topology,
                    const fabric::FabricStatistics& statistics, Femtoseconds time,
                    nlohmann::ordered_json& result);

}  // namespace coppice::system
