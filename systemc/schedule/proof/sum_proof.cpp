#include "schedule/proof/sum_proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/proof/check_report.h"

namespace coppice::schedule {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{2} << 20;

[[noreturn]] void refuse(const Message& message, const std::string& what) {
  throw ScheduleError(place_of(message) + ": " + what);
}

}  // namespace

Contributions::Contributions(const Schedule& schedule, std::vector<int>& additions)
    : schedule_(schedule),
      additions_(additions),
      nodes_(schedule.nodes.size()),
      accelerators_(static_cast<std::size_t>(schedule.accelerators())),
      words_(words_of(accelerators_)),
      everyone_(words_) {
  for (std::size_t i = 0; i < accelerators_; ++i) everyone_.insert(i);
}

void Contributions::prove(const MessageGroup& group, const GroupLayout& layout) {
  group_ = &group;
  layout_ = &layout;
  const std::size_t fit = kBatchBytes / (nodes_ * words_ * sizeof(std::uint64_t));
  const auto batch = static_cast<std::int32_t>(std::clamp<std::size_t>(fit, 1, layout.intervals()));
  const auto intervals = static_cast<std::int32_t>(layout.intervals());
  for (std::int32_t first = 0; first < intervals; first += batch) {
    begin({first, std::min(first + batch, intervals)});
    for (std::size_t m = 0; m < group.messages.size();) {
      std::size_t end = m;
      while (end < group.messages.size() && group.messages[end]->round == group.messages[m]->round) ++end;
      exchange(m, end);
      m = end;
    }
    require_final();
  }
}

void Contributions::begin(IntervalRange batch) {
  batch_ = batch;
  const std::size_t values = nodes_ * static_cast<std::size_t>(batch.end - batch.first);
  held_.assign(values * words_, 0);
  depth_.assign(values, {});
  for (std::size_t node = 0; node < accelerators_; ++node) {
    for (std::int32_t i = batch.first; i < batch.end; ++i) {
      if (schedule_.collective != Collective::kAllGather) {
        held(node, i).insert(node);
      } else if (layout_->owners[static_cast<std::size_t>(i)] == static_cast<NodeId>(node)) {
        held(node, i).assign(everyone_.view());
      }
    }
  }
}

IntervalRange Contributions::in_batch(std::size_t message) const {
  const IntervalRange covered = layout_->covered[message];
  return {std::max(covered.first, batch_.first), std::min(covered.end, batch_.end)};
}

// Exchanges the messages of one round. All messages leave before any of them arrives.
void Contributions::exchange(std::size_t first, std::size_t end) {
  in_flight_.clear();
  depth_in_flight_.clear();
  for (std::size_t m = first; m < end; ++m) take_snapshot(*group_->messages[m], in_batch(m));
  std::size_t snapshot = 0;
  for (std::size_t m = first; m < end && snapshot < depth_in_flight_.size(); ++m) {
    const IntervalRange intervals = in_batch(m);
    for (std::int32_t i = intervals.first; i < intervals.end; ++i) {
      arrive(*group_->messages[m], i, snapshot++);
    }
  }
}

void Contributions::take_snapshot(const Message& message, IntervalRange intervals) {
  for (std::int32_t i = intervals.first; i < intervals.end; ++i) {
    const ConstBits value = held(static_cast<std::size_t>(message.src), i);
    if (value.empty()) refuse(message, "sends a value that the accelerator does not have yet");
    in_flight_.insert(in_flight_.end(), value.words().begin(), value.words().end());
    depth_in_flight_.push_back(depth_[index(static_cast<std::size_t>(message.src), i)].total());
  }
}

void Contributions::arrive(const Message& message, std::int32_t interval, std::size_t snapshot) {
  const ConstBits value(&in_flight_[snapshot * words_], words_);
  Bits here = held(static_cast<std::size_t>(message.dst), interval);
  const TableEntry& entry = *message.entry;
  const std::int32_t from_depth = depth_in_flight_[snapshot];
  Depth& here_depth = depth_[index(static_cast<std::size_t>(message.dst), interval)];
  if (entry.op == Op::kReduce) {
    if (schedule_.collective == Collective::kAllGather) refuse(message, "an all-gather must not add");
    if (const auto twice = here.first_common(value); twice >= 0) {
      refuse(message, fmt::format("adds the contribution of accelerator {} a second time at accelerator {}",
                                  twice, message.dst));
    }
    here.insert_all(value);
    here_depth.deepest = std::max(here_depth.deepest, from_depth);
    ++here_depth.arrivals;
    int& additions = additions_[static_cast<std::size_t>(entry.flow)];
    additions = std::max(additions, here_depth.total());
    return;
  }
  if (const auto lost = value.first_missing_of(here); lost >= 0) {
    refuse(message, fmt::format("overwrites a value at accelerator {} that includes the contribution of "
                                "accelerator {} with one that lacks it",
                                message.dst, lost));
  }
  if (value == here) refuse(message, fmt::format("accelerator {} already has this value", message.dst));
  here.assign(value);
  here_depth = {from_depth, 0};
}

void Contributions::require_final() const {
  for (std::int32_t i = batch_.first; i < batch_.end; ++i) {
    const auto interval = static_cast<std::size_t>(i);
    for (std::size_t node = 0; node < accelerators_; ++node) {
      if (schedule_.collective == Collective::kReduceScatter &&
          layout_->owners[interval] != static_cast<NodeId>(node)) {
        continue;
      }
      const ConstBits value = held(node, i);
      if (value == everyone_.view()) continue;
      std::size_t missing = 0;
      while (value.contains(missing)) ++missing;
      throw ScheduleError(fmt::format(
          "bytes {}..{}, accelerator {}, after step {}: the {} value lacks the "
          "contribution of accelerator {}",
          layout_->cuts[interval], layout_->cuts[interval + 1], node, schedule_.steps, "final", missing));
    }
  }
}

}  // namespace coppice::schedule
