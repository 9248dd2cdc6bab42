#include "system/output/link_utilization.h"

#include <algorithm>

#include "fabric/route_timing.h"

namespace coppice::system {

nlohmann::ordered_json link_utilization(const config::SystemConfig& system,
                                        const topology::Topology& topology,
                                        const fabric::FabricStatistics& statistics, Femtoseconds time) {
  const auto channels = topology.channels();
  const auto total = static_cast<double>(time);
  double sum = 0;
  double max = 0;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const auto busy = static_cast<double>(statistics.channel_flits[c]) *
                      static_cast<double>(fabric::channel_flit_time(system, channels[c].bandwidth));
    const double utilization = total > 0 ? busy / total : 0;
    sum += utilization;
    max = std::max(max, utilization);
  }
  return {{"mean", channels.empty() ? 0.0 : sum / static_cast<double>(channels.size())}, {"max", max}};
}

}  // namespace coppice::system
