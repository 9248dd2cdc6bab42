#pragma once

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "topology/topology.h"

namespace coppice::system {

// Busy time of the channels over the time of a run: {mean, max} over the channels.
nlohmann::ordered_json link_utilization(const config::SystemConfig& system,
                                        const topology::Topology& topology,
                                        const fabric::FabricStatistics& statistics, Femtoseconds time);

}  // namespace coppice::system
