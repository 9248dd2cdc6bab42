#include "schedule/hierarchical/themis.h"

#include <algorithm>
#include <numeric>

#include "base/time_limit.h"

namespace coppice::schedule {
namespace {

constexpr Bytes kThresholdShare = 16;  // the threshold is 1 / kThresholdShare of a chunk (Sec. 5.3)

// Implements getBaselineScheduling() of Algorithm 1. The result is the order of the reduce-scatter.
DimensionOrder baseline_order(const LatencyModel& model) {
  DimensionOrder order(model.dimensions());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Implements SCHEDULER.SCHEDULE of Algorithm 1. The result is the order of the reduce-scatter; an all-gather,
// which needs the descending order, uses the reverse.
DimensionOrder next_order(const LatencyModel& model, std::span<const Femtoseconds> loads, Bytes chunk) {
  DimensionOrder order = baseline_order(model);
  const auto [least, most] = std::ranges::minmax_element(loads);
  const auto least_loaded = static_cast<std::size_t>(least - loads.begin());
  const Femtoseconds threshold = model.transfer(least_loaded, Op::kReduce, chunk / kThresholdShare);
  if (*most - *least < threshold) return order;
  std::ranges::stable_sort(order, {}, [&](std::size_t d) { return loads[d]; });
  return order;
}

}  // namespace

void DimLoadTracker::reset(Collective collective) {
  const int phases = collective == Collective::kAllReduce ? 2 : 1;
  for (std::size_t d = 0; d < loads_.size(); ++d) loads_[d] = phases * model_->fixed_delay(d);
  sent_ = loads_;
  received_ = loads_;
}

void DimLoadTracker::update(const ChunkPlan& chunk) {
  Bytes held = chunk.reduce_scatter.empty() ? chunk.bytes / model_->accelerators() : chunk.bytes;
  const auto add = [&](std::size_t d, Bytes sent, Bytes received) {
    const Bandwidth bandwidth = model_->dimension(d).bandwidth;
    sent_[d] = checked_sum(sent_[d], transfer_time(sent, bandwidth));
    received_[d] = checked_sum(received_[d], transfer_time(received, bandwidth));
    loads_[d] = std::max(sent_[d], received_[d]);
  };
  const auto go = [&](std::size_t d, Op op) {
    add(d, model_->sent(d, op, held), model_->received(d, op, held));
    held = model_->after(d, op, held);
  };
  std::span<const std::size_t> there = chunk.reduce_scatter;
  std::span<const std::size_t> back = chunk.all_gather;
  const bool turns = !there.empty() && !back.empty() && there.back() == back.front();
  const bool whole = turns && model_->in_network(back.front());
  if (whole) {
    there = there.first(there.size() - 1);
    back = back.subspan(1);
  }
  for (const std::size_t d : there) go(d, Op::kReduce);
  if (whole) add(chunk.all_gather.front(), held, held);
  for (const std::size_t d : back) go(d, Op::kGather);
}

ChunkPlan mirrored_plan(Collective collective, Bytes bytes, const DimensionOrder& order) {
  ChunkPlan plan{.bytes = bytes, .reduce_scatter = {}, .all_gather = {}};
  if (collective != Collective::kAllGather) plan.reduce_scatter = order;
  if (collective != Collective::kReduceScatter) plan.all_gather.assign(order.rbegin(), order.rend());
  return plan;
}

std::vector<ChunkPlan> schedule_baseline(const LatencyModel& model, Collective collective,
                                         std::span<const Chunk> chunks) {
  std::vector<ChunkPlan> plans;
  for (const Chunk& chunk : chunks) {
    plans.push_back(mirrored_plan(collective, chunk.bytes, baseline_order(model)));
  }
  return plans;
}

std::vector<ChunkPlan> schedule_themis(const LatencyModel& model, Collective collective,
                                       std::span<const Chunk> chunks) {
  DimLoadTracker tracker(model);
  tracker.reset(collective);
  std::vector<ChunkPlan> plans;
  for (const Chunk& chunk : chunks) {
    plans.push_back(mirrored_plan(collective, chunk.bytes, next_order(model, tracker.loads(), chunk.bytes)));
    tracker.update(plans.back());
  }
  return plans;
}

}  // namespace coppice::schedule
