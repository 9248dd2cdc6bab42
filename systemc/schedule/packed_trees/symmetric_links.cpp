#include "schedule/packed_trees/symmetric_links.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace coppice::schedule {

using topology::ChannelId;
using topology::NodeId;

std::optional<std::vector<ChannelId>> twins_of(const topology::Topology& topology) {
  const auto bandwidth_of = [&](ChannelId id) { return topology.channel(id).bandwidth.bytes_per_second; };
  std::map<std::pair<NodeId, NodeId>, std::vector<ChannelId>> between;
  for (ChannelId id = 0; id < static_cast<ChannelId>(topology.channels().size()); ++id) {
    between[{topology.channel(id).src, topology.channel(id).dst}].push_back(id);
  }
  for (auto& [ends, ids] : between) std::ranges::stable_sort(ids, std::ranges::greater{}, bandwidth_of);
  std::vector<ChannelId> twins(topology.channels().size(), -1);
  for (const auto& [ends, there] : between) {
    const auto back = between.find({ends.second, ends.first});
    if (back == between.end()) return std::nullopt;
    if (!std::ranges::equal(there, back->second, {}, bandwidth_of, bandwidth_of)) return std::nullopt;
    for (std::size_t i = 0; i < there.size(); ++i)
      twins[static_cast<std::size_t>(there[i])] = back->second[i];
  }
  return twins;
}

std::optional<std::vector<SymmetricLink>> symmetric_links(const topology::Topology& topology) {
  if (topology.num_switches() > 0) return std::nullopt;
  const auto twins = twins_of(topology);
  if (!twins) return std::nullopt;
  std::vector<SymmetricLink> links;
  for (ChannelId id = 0; id < static_cast<ChannelId>(twins->size()); ++id) {
    const topology::Channel& channel = topology.channel(id);
    if (channel.src < channel.dst)
      links.push_back({channel.src, channel.dst, id, (*twins)[static_cast<std::size_t>(id)]});
  }
  std::ranges::stable_sort(links, {}, [&](const SymmetricLink& link) {
    return std::tuple(link.a, link.b, -topology.channel(link.there).bandwidth.bytes_per_second);
  });
  return links;
}

}  // namespace coppice::schedule
