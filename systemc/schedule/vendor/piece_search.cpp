#include "schedule/vendor/piece_search.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "schedule/packed_trees/expected_time.h"
#include "schedule/packed_trees/message_timing.h"

namespace coppice::schedule {
namespace {

constexpr std::int64_t kMostMessages = 200'000;

}  // namespace

int steps_of_a_hop(const topology::Topology& topology, const CompileRequest& request,
                   const PipelineStep& step) {
  const MessageTiming timing(topology, request);
  Femtoseconds busy = std::numeric_limits<Femtoseconds>::max();
  Femtoseconds hop = 0;
  for (const topology::ChannelId id : topology.out_channels(0)) {
    busy = std::min(busy, timing.busy(id, step.bytes));
    hop = std::max(hop, timing.delay({&id, 1}, Op::kReduce) + timing.busy(id, step.bytes));
  }
  const Femtoseconds period = std::max<Femtoseconds>(busy * step.messages, 1);
  constexpr Femtoseconds kMost = 1 << 20;
  return static_cast<int>(std::clamp<Femtoseconds>((hop + period - 1) / period, 1, kMost));
}

Schedule faster_of(const topology::Topology& topology, const CompileRequest& request, Schedule one,
                   Schedule other) {
  const Femtoseconds time = expected_time(topology, request, one);
  return expected_time(topology, request, other, time) < time ? std::move(other) : std::move(one);
}

Schedule best_of_pieces(const topology::Topology& topology, const CompileRequest& request,
                        std::int64_t messages, int flows,
                        const std::function<Schedule(int pieces)>& compile) {
  if (request.chunks != kAutomaticChunks) return compile(request.chunks);
  const Bytes most = std::max<Bytes>(request.size / request.element / flows, 1);
  Schedule best = compile(1);
  Femtoseconds fastest = expected_time(topology, request, best);
  for (int pieces = 2; pieces <= most && messages * pieces <= kMostMessages; pieces *= 2) {
    Schedule schedule = compile(pieces);
    const Femtoseconds time = expected_time(topology, request, schedule);
    if (time >= fastest) break;
    fastest = time;
    best = std::move(schedule);
  }
  return best;
}

}  // namespace coppice::schedule
