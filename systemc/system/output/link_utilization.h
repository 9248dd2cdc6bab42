#pragma once

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "topology/topology.h"

namespace coppice::system {

// Adds to a result what the channels carried in the time of a run: `link_utilization`, the part of it in
// which they were busy, {mean, max}, and `channels`, a list of {src, dst, bytes, busy}, heads counted.
void write_channels(const config::SystemConfig& system, const topology::Topology& topology,
                    const fabric::FabricStatistics& statistics, Femtoseconds time,
                    nlohmann::ordered_json& result);

}  // namespace coppice::system
