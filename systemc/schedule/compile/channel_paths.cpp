#include "schedule/compile/channel_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace coppice::schedule {

using topology::Channel;
using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

ChannelId find_channel(const Topology& topology, NodeId src, NodeId dst) {
  ChannelId fastest = -1;
  const auto speed = [&](ChannelId id) {
    const Channel& channel = topology.channel(id);
    return std::pair(channel.bandwidth.bytes_per_second, -channel.latency);
  };
  for (const ChannelId id : topology.out_channels(src)) {
    if (topology.channel(id).dst != dst) continue;
    if (fastest < 0 || speed(id) > speed(fastest)) fastest = id;
  }
  return fastest;
}

std::vector<ChannelId> reverse_channels(const Topology& topology) {
  std::vector<ChannelId> reverse(topology.channels().size(), -1);
  for (std::size_t i = 0; i < reverse.size(); ++i) {
    if (reverse[i] >= 0) continue;
    const Channel& channel = topology.channels()[i];
    const auto out = topology.out_channels(channel.dst);
    // Parallel channels are paired in opposite order, so the search begins at the last free reverse channel.
    const auto free = [&](ChannelId id) {
      return topology.channel(id).dst == channel.src && reverse[static_cast<std::size_t>(id)] < 0;
    };
    auto back = std::find_if(out.rbegin(), out.rend(), [&](ChannelId id) {
      return free(id) && topology.channel(id).bandwidth == channel.bandwidth &&
             topology.channel(id).latency == channel.latency;
    });
    if (back == out.rend()) back = std::find_if(out.rbegin(), out.rend(), free);
    if (back == out.rend()) {
      throw UnsupportedError(
          fmt::format("a reduction uses the gather's channels in reverse, but channel {}->{} of {} has no "
                      "reverse channel: add one (a link in a graph file has both), or use an algorithm that "
                      "does not need it (ring, direct)",
                      channel.src, channel.dst, topology.name()));
    }
    reverse[i] = *back;
    reverse[static_cast<std::size_t>(*back)] = static_cast<ChannelId>(i);
  }
  return reverse;
}

}  // namespace coppice::schedule
