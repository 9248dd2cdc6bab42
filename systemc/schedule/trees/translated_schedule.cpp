#include "schedule/trees/translated_schedule.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "schedule/compile/symmetric_builder.h"
#include "schedule/trees/link_allocator.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

using topology::ChannelId;
using topology::Topology;

bool channels_translate(const Topology& topology) {
  if (topology.kind() != topology::Kind::kTorus || topology.num_nodes() != topology.num_accelerators())
    return false;
  const auto at_root = topology.out_channels(0);
  const std::vector<int>& dims = topology.dims();
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    const auto out = topology.out_channels(node);
    if (out.size() != at_root.size()) return false;
    const std::vector<int> at = topology.coordinates(node);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i] != static_cast<ChannelId>(static_cast<std::size_t>(node) * out.size() + i)) return false;
      std::vector<int> to = topology.coordinates(topology.channel(at_root[i]).dst);
      for (std::size_t d = 0; d < to.size(); ++d) to[d] = (to[d] + at[d]) % dims[d];
      if (topology.node_at(to) != topology.channel(out[i]).dst) return false;
    }
  }
  return true;
}

bool may_translate(const Topology& topology, const CompileRequest& request, int pieces) {
  return topology.kind() == topology::Kind::kTorus &&
         pattern_pays(request, topology.num_accelerators(), pieces) &&
         topology.dims().size() <= Translations::kMostDimensions &&
         std::ranges::max(topology.dims()) <= Translations::kMostWide && LinkAllocator(topology).uniform() &&
         channels_translate(topology);
}

bool has_port_per_channel(const Topology& topology, const CompileRequest& request) {
  return topology.out_channels(0).size() <= static_cast<std::size_t>(request.ni_ports);
}

Schedule schedule_translations(const Topology& topology, const CompileRequest& request,
                               const std::string& algorithm, const Trees& trees) {
  std::vector<NodeId> nodes(static_cast<std::size_t>(topology.num_accelerators()));
  std::iota(nodes.begin(), nodes.end(), 0);
  std::vector<std::int32_t> ways;
  for (const topology::Channel& channel : topology.channels()) ways.push_back(channel.src_port);
  return build_symmetric_schedule(topology, request, algorithm,
                                  {.moves = Translations(topology.dims(), std::move(nodes)),
                                   .pieces = trees.pieces,
                                   .sends = sends_of(topology, request, trees),
                                   .ways = std::move(ways)});
}

}  // namespace coppice::schedule
