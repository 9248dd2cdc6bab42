#include "schedule/packed_trees/symmetric_links.h"

#include <algorithm>
#include <map>
#include <utility>

namespace coppice::schedule {

using topology::ChannelId;
using topology::NodeId;

std::optional<std::vector<SymmetricLink>> symmetric_links(const topology::Topology& topology) {
  if (topology.num_switches() > 0) return std::nullopt;
  const auto bandwidth_of = [&](ChannelId id) { return topology.channel(id).bandwidth.bytes_per_second; };
  std::map<std::pair<NodeId, NodeId>, std::vector<ChannelId>> between;
  for (ChannelId id = 0; id < static_cast<ChannelId>(topology.channels().size()); ++id) {
    between[{topology.channel(id).src, topology.channel(id).dst}].push_back(id);
  }
  for (auto& [ends, ids] : between) std::ranges::stable_sort(ids, std::ranges::greater{}, bandwidth_of);
  std::vector<SymmetricLink> links;
  for (const auto& [ends, there] : between) {
    const auto back = between.find({ends.second, ends.first});
    if (back == between.end()) return std::nullopt;
    if (!std::ranges::equal(there, back->second, {}, bandwidth_of, bandwidth_of)) return std::nullopt;
    if (ends.first > ends.second) continue;
    for (std::size_t i = 0; i < there.size(); ++i) {
      links.push_back({ends.first, ends.second, there[i], back->second[i]});
    }
  }
  return links;
}

}  // namespace coppice::schedule
