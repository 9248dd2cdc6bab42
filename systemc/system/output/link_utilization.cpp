#include "system/output/link_utilization.h"

#include <algorithm>
#include <utility>

#include "fabric/route_timing.h"

namespace coppice::system {

void write_channels(const config::SystemConfig& system, const topology::Topology& topology,
                    const fabric::FabricStatistics& statistics, Femtoseconds time,
                    nlohmann::ordered_json& result) {
  const auto channels = topology.channels();
  const auto total = static_cast<double>(time);
  double sum = 0;
  double max = 0;
  auto list = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const auto busy = static_cast<double>(statistics.channel_flits[c]) *
                      static_cast<double>(fabric::channel_flit_time(system, channels[c].bandwidth));
    const double utilization = total > 0 ? busy / total : 0;
    sum += utilization;
    max = std::max(max, utilization);
    list.push_back({{"src", channels[c].src},
                    {"dst", channels[c].dst},
                    {"bytes", statistics.channel_flits[c] * system.flit},
                    {"busy", utilization}});
  }
  result["link_utilization"] = {{"mean", channels.empty() ? 0.0 : sum / static_cast<double>(channels.size())},
                                {"max", max}};
  result["channels"] = std::move(list);
}

}  // namespace coppice::system
