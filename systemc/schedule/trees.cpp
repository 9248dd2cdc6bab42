#include "schedule/trees.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "schedule/builder.h"
#include "schedule/links.h"

namespace coppice::schedule {

Schedule schedule_trees(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm, const Trees& trees) {
  const bool reduces = request.collective != Collective::kAllGather;
  const bool gathers = request.collective != Collective::kReduceScatter;
  std::vector<topology::ChannelId> reverse;
  if (reduces) reverse = reverse_channels(topology);
  std::vector<Send> sends;
  const std::size_t n = trees.trees.size();
  sends.reserve(n * (n - 1) * (reduces && gathers ? 2 : 1));
  for (std::size_t flow = 0; flow < n; ++flow) {
    for (const TreeEdge& edge : trees.trees[flow]) {
      if (reduces) {
        sends.push_back({.op = Op::kReduce,
                         .flow = static_cast<std::int32_t>(flow),
                         .src = edge.child,
                         .dst = edge.parent,
                         .step = trees.steps + 1 - edge.step,
                         .channel = reverse[static_cast<std::size_t>(edge.channel)]});
      }
      if (gathers) {
        sends.push_back({.op = Op::kGather,
                         .flow = static_cast<std::int32_t>(flow),
                         .src = edge.parent,
                         .dst = edge.child,
                         .step = (reduces ? trees.steps : 0) + edge.step,
                         .channel = edge.channel});
      }
    }
  }
  const auto chunks = split_into_chunks(request.size, request.element, static_cast<int>(n));
  return build_schedule(topology, request, algorithm, chunks, sends);
}

int ingress_bound(const topology::Topology& topology) {
  const int others = topology.num_accelerators() - 1;
  int bound = 0;
  for (NodeId node = 0; others > 0 && node <= others; ++node) {
    const int ways_in = static_cast<int>(topology.in_channels(node).size());
    if (ways_in == 0) throw UnsupportedError(fmt::format("no channel leads to accelerator {}", node));
    bound = std::max(bound, (others + ways_in - 1) / ways_in);
  }
  return bound;
}

}  // namespace coppice::schedule
