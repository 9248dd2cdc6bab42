#include "system/output/dimension_load.h"

#include <cmath>
#include <optional>
#include <utility>

#include "schedule/tables/alike_entries.h"
#include "system/output/dimension_activity.h"

namespace coppice::system {
namespace {

nlohmann::ordered_json rounded(std::vector<double> parts) {
  constexpr double kPlaces = 1e4;
  for (double& part : parts) part = std::round(part * kPlaces) / kPlaces;
  return parts;
}

double to_ns(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
}

}  // namespace

void DimensionLoad::add(const schedule::Schedule& schedule, const std::vector<topology::NodeId>& interfaces) {
  schedule::for_each_alike_entry(
      schedule, [&](topology::NodeId node, const schedule::TableEntry& entry, std::int64_t count) {
        topology::NodeId at = interfaces[static_cast<std::size_t>(node)];
        if (entry.route < 0 || !topology_.is_accelerator(at)) return;
        // Counts the bytes at every accelerator on the path, since each forwards the message.
        for (const topology::Hop& hop : schedule.routes[static_cast<std::size_t>(entry.route)]) {
          const auto channels = topology_.out_channels(at);
          if (hop.out_port >= channels.size()) break;
          const topology::Channel& channel = topology_.channel(channels[hop.out_port]);
          if (topology_.is_accelerator(at)) {
            bytes_[static_cast<std::size_t>(channel.dimension)] += count * entry.bytes;
          }
          at = channel.dst;
        }
      });
}

std::vector<double> DimensionLoad::bandwidths() const {
  std::vector<double> bandwidths(bytes_.size(), 0);
  for (const topology::ChannelId id : topology_.out_channels(0)) {
    const topology::Channel& channel = topology_.channel(id);
    bandwidths[static_cast<std::size_t>(channel.dimension)] += channel.bandwidth.gb_per_s();
  }
  return bandwidths;
}

void DimensionLoad::write(const DimensionActivity* activity, Femtoseconds end,
                          nlohmann::ordered_json& result) const {
  const double time_ns = to_ns(end);
  const std::vector<double> bandwidth = bandwidths();
  std::optional<DimensionActivity> whole;
  if (activity != nullptr) whole = activity->until(end);
  auto list = nlohmann::ordered_json::array();
  for (std::size_t d = 0; d < bytes_.size(); ++d) {
    const double each = static_cast<double>(bytes_[d]) / topology_.num_accelerators();
    list.push_back({{"kind", topology::to_string(topology_.dimension_kinds()[d])},
                    {"size", topology_.dims()[d]},
                    {"bandwidth_gb_s", bandwidth[d]},
                    {"bytes_per_accelerator", each},
                    {"utilization", time_ns > 0 ? each / bandwidth[d] / time_ns : 0.0}});
    if (!whole) continue;
    list.back()["activity"] = rounded(whole->active(d, end));
    list.back()["busy"] = rounded(whole->busy(d, end));
  }
  result["dimensions"] = std::move(list);
  if (whole) result["window_ns"] = to_ns(whole->window());
}

}  // namespace coppice::system
