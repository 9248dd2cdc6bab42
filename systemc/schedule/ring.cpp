#include "schedule/ring.h"

#include "schedule/builder.h"
#include "schedule/hamiltonian.h"
#include "schedule/links.h"

namespace coppice::schedule {

Schedule RingCompiler::compile(const topology::Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, "ring");
  const std::vector<NodeId> ring = ring_order(topology).nodes;
  const int n = static_cast<int>(ring.size());
  const auto at = [&](int position) { return ring[static_cast<std::size_t>(position % n)]; };
  std::vector<topology::ChannelId> onward;
  onward.reserve(ring.size());
  for (int i = 0; i < n; ++i) onward.push_back(find_channel(topology, at(i), at(i + 1)));

  const bool reduces = request.collective != Collective::kAllGather;
  const bool gathers = request.collective != Collective::kReduceScatter;
  const int gather_start = reduces ? n - 1 : 0;
  std::vector<Send> sends;
  sends.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(n - 1) * (reduces && gathers ? 2 : 1));
  const auto send = [&](Op op, int owner, int from, int step) {
    sends.push_back({.op = op,
                     .flow = at(owner),
                     .src = at(from),
                     .dst = at(from + 1),
                     .step = step,
                     .channel = onward[static_cast<std::size_t>(from % n)]});
  };
  for (int owner = 0; owner < n; ++owner) {
    for (int s = 1; reduces && s < n; ++s) send(Op::kReduce, owner, owner + s, s);
    for (int s = 1; gathers && s < n; ++s) send(Op::kGather, owner, owner + s - 1, gather_start + s);
  }
  return build_schedule(topology, request, "ring", split_into_chunks(request.size, request.element, n),
                        sends);
}

}  // namespace coppice::schedule
