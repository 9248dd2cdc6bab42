#include "schedule/rings/ring.h"

#include <algorithm>
#include <utility>

#include "schedule/compile/channel_paths.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/compile/symmetric_builder.h"
#include "schedule/compile/table_builder.h"
#include "schedule/rings/disjoint_rings.h"
#include "schedule/rings/ring_order.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

// Whether to search for several rings, which is useful if the construction of the topology does not determine
// a cycle.
bool has_rings_of_channels(const Topology& topology) {
  return topology::info_of(topology.kind()).irregular;
}

// Piece r of every accelerator's chunk travels around ring r.
Schedule compile_rings(const Topology& topology, const CompileRequest& request,
                       const std::vector<std::vector<ChannelId>>& rings) {
  const int n = topology.num_accelerators();
  const int pieces = static_cast<int>(rings.size());
  const bool reduces = request.collective != Collective::kAllGather;
  const bool gathers = request.collective != Collective::kReduceScatter;
  const int gather_start = reduces ? n - 1 : 0;
  std::vector<Send> sends;
  for (int r = 0; r < pieces; ++r) {
    const auto& ring = rings[static_cast<std::size_t>(r)];
    const auto send = [&](Op op, NodeId owner, int from, int step) {
      const ChannelId id = ring[static_cast<std::size_t>(from % n)];
      sends.push_back({.op = op,
                       .flow = owner * pieces + r,
                       .src = topology.channel(id).src,
                       .dst = topology.channel(id).dst,
                       .step = step,
                       .channel = id});
    };
    for (int position = 0; position < n; ++position) {
      const NodeId owner = topology.channel(ring[static_cast<std::size_t>(position)]).src;
      for (int s = 1; reduces && s < n; ++s) send(Op::kReduce, owner, position + s, s);
      for (int s = 1; gathers && s < n; ++s) send(Op::kGather, owner, position + s - 1, gather_start + s);
    }
  }
  std::vector<Chunk> flows;
  for (const Chunk& chunk : split_into_chunks(request.size, request.element, n)) {
    for (const Chunk& piece : split_into_chunks(chunk.bytes, request.element, pieces)) {
      flows.push_back({.address = chunk.address + piece.address, .bytes = piece.bytes});
    }
  }
  return build_schedule(topology, request, RingCompiler::info().name, flows, sends);
}

double ring_time_ns(const CostModel& model, const Schedule& schedule) {
  return model.ring_ns(static_cast<double>(schedule.size) * model.accelerators / schedule.flows);
}

double seconds_of_rings(const Topology& topology, const CompileRequest& request) {
  return looks_alike(topology, request) ? seconds_at(topology, 0.05, 1) : seconds_at(topology, 0.5, 2);
}

// Whether all channels of a ring have the same bandwidth and latency.
bool looks_alike_everywhere(const Topology& topology, const std::vector<ChannelId>& ring) {
  if (ring.size() > Translations::kMostWide || ring.front() < 0) return false;
  const topology::Channel& first = topology.channel(ring.front());
  return std::ranges::all_of(ring, [&](ChannelId id) {
    if (id < 0) return false;
    const topology::Channel& channel = topology.channel(id);
    return channel.bandwidth == first.bandwidth && channel.latency == first.latency;
  });
}

}  // namespace

AlgorithmInfo RingCompiler::info() {
  return {.name = "ring",
          .summary = "ring over neighbours, one chunk per accelerator",
          .one_plane = true,
          .trials = {{.turn = 3, .seconds = seconds_of_rings}},
          .predicted_ns = ring_time_ns};
}

Schedule RingCompiler::compile(const topology::Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  if (has_rings_of_channels(topology)) {
    const auto rings = channel_rings(topology);
    if (!rings.empty()) return compile_rings(topology, request, rings);
  }
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
  const bool symmetric = pattern_pays(request, n, 1) && looks_alike_everywhere(topology, onward);
  const int owners = symmetric ? 1 : n;
  if (!symmetric) require_memory_for_trees(info().name, n, request);
  sends.reserve(static_cast<std::size_t>(owners) * static_cast<std::size_t>(n - 1) *
                (reduces && gathers ? 2 : 1));
  const auto send = [&](Op op, int owner, int from, int step) {
    sends.push_back({.op = op,
                     .flow = symmetric ? 0 : at(owner),
                     .src = at(from),
                     .dst = at(from + 1),
                     .step = step,
                     .channel = onward[static_cast<std::size_t>(from % n)]});
  };
  for (int owner = 0; owner < owners; ++owner) {
    for (int s = 1; reduces && s < n; ++s) send(Op::kReduce, owner, owner + s, s);
    for (int s = 1; gathers && s < n; ++s) send(Op::kGather, owner, owner + s - 1, gather_start + s);
  }
  if (symmetric) {
    std::vector<std::int32_t> ways(topology.channels().size(), -1);
    for (const topology::ChannelId channel : onward) ways[static_cast<std::size_t>(channel)] = 0;
    return build_symmetric_schedule(
        topology, request, info().name,
        {.moves = Translations({n}, ring), .pieces = 1, .sends = std::move(sends), .ways = std::move(ways)});
  }
  return build_schedule(topology, request, info().name, split_into_chunks(request.size, request.element, n),
                        sends);
}

}  // namespace coppice::schedule
