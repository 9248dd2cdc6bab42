#include "topology/structure/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "topology/connectivity.h"

namespace coppice::topology {
namespace {

using Ends = std::pair<NodeId, NodeId>;

Ends ends_of(NodeId a, NodeId b) {
  return std::minmax({a, b});
}

}  // namespace

Topology with_faults(const Topology& network, std::span<const std::pair<NodeId, NodeId>> failed,
                     std::span<const DegradedLink> degraded) {
  std::map<Ends, double> shares;  // remaining fraction of the bandwidth
  for (const auto& [a, b] : failed) shares[ends_of(a, b)] = 0;
  for (const DegradedLink& link : degraded) {
    double& share = shares.try_emplace(ends_of(link.a, link.b), 1).first->second;
    share *= link.share;
  }
  Topology left(Kind::kFile, {}, network.num_accelerators(), network.num_switches());
  std::map<Ends, int> found;
  for (const Channel& channel : network.channels()) {
    const auto fault = shares.find(ends_of(channel.src, channel.dst));
    const double share = fault == shares.end() ? 1 : fault->second;
    if (fault != shares.end()) ++found[fault->first];
    if (share <= 0) continue;
    const double rate = static_cast<double>(channel.bandwidth.bytes_per_second) * share;
    const Bandwidth bandwidth =
        share < 1 ? Bandwidth{std::max<std::int64_t>(std::llround(rate), 1)} : channel.bandwidth;
    left.add_channel(channel.src, channel.dst, bandwidth, channel.latency, channel.dimension);
  }
  for (const auto& [ends, share] : shares) {
    if (found[ends] > 0) continue;
    throw UnsupportedError(
        fmt::format("{} has no link between nodes {} and {}", network.name(), ends.first, ends.second));
  }
  require_connected(left);
  return left;
}

}  // namespace coppice::topology
