#pragma once

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "topology/topology.h"

namespace coppice::system {

// Adds the utilization of channels to a result: `link_utilization`, the fraction of the time in which they
// were busy, {mean, max}, and `channels`, a list of {src, dst, bytes, busy}, including heads.
void write_channels(const config::SystemConfig& system, const topology::Topology& topology,
                    const fabric::FabricStatistics& statistics, Femtoseconds time,
                    nlohmann::ordered_json& result);

}  // namespace coppice::system
