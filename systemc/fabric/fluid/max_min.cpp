#include "fabric/fluid/max_min.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace coppice::fabric {
namespace {

// The relative error of rates, which are sums and quotients of a few doubles.
constexpr double kTolerance = 1e-9;
// The relative rounding difference between equal rates that were computed in different orders.
constexpr double kRounding = 1e-13;
constexpr double kUnfilled = std::numeric_limits<double>::infinity();

bool same(double now, double before) {
  return std::abs(now - before) <= kRounding * before;
}

}  // namespace

MaxMinRates::MaxMinRates(std::vector<double> capacities) : links_(capacities.size()) {
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    links_[i].capacity = capacities[i];
    links_[i].level = kUnfilled;
  }
}

void MaxMinRates::mark(std::int32_t link) {
  if (std::exchange(links_[index(link)].dirty, true)) return;
  dirty_.push_back(link);
}

void MaxMinRates::attach(FlowId flow, std::span<const std::int32_t> links) {
  paths_[index(flow)].assign(links.begin(), links.end());
  for (const std::int32_t link : links) {
    links_[index(link)].flows.push_back(flow);
    mark(link);
  }
  touch(flow);
  flows_[index(flow)].state = State::kOpen;
}

void MaxMinRates::detach(FlowId flow) {
  for (const std::int32_t link : paths_[index(flow)]) {
    auto& flows = links_[index(link)].flows;
    *std::find(flows.begin(), flows.end(), flow) = flows.back();
    flows.pop_back();
    mark(link);
  }
}

MaxMinRates::FlowId MaxMinRates::add(std::span<const std::int32_t> links) {
  if (free_.empty()) {
    free_.push_back(static_cast<FlowId>(flows_.size()));
    flows_.emplace_back();
    paths_.emplace_back();
  }
  const FlowId flow = free_.back();
  free_.pop_back();
  Flow& record = flows_[index(flow)];
  record.rate = 0;
  record.before = 0;
  record.alive = true;
  attach(flow, links);
  return flow;
}

void MaxMinRates::remove(FlowId flow) {
  detach(flow);
  flows_[index(flow)].alive = false;
  free_.push_back(flow);
}

void MaxMinRates::reroute(FlowId flow, std::span<const std::int32_t> links) {
  detach(flow);
  attach(flow, links);
}

void MaxMinRates::set_capacity(std::int32_t link, double capacity) {
  links_[index(link)].capacity = capacity;
  mark(link);
}

void MaxMinRates::touch(FlowId flow) {
  Flow& record = flows_[index(flow)];
  if (std::exchange(record.touched, true)) return;
  record.before = record.rate;
  touched_.push_back(flow);
}

// The level at which the link is full, given the known rates of its flows. A flow that another link limits
// contributes its rate or the level, whichever is lower; all other flows contribute the level. Returns
// kUnfilled if the flows cannot fill the link.
double MaxMinRates::level_of(std::int32_t id) const {
  const Link& link = links_[index(id)];
  double left = link.capacity;
  auto open = static_cast<double>(link.flows.size());
  lower_.clear();
  for (const FlowId flow : link.flows) {
    const Flow& record = flows_[index(flow)];
    const bool held =
        record.state == State::kFixed || (record.state == State::kKept && record.bottleneck != id);
    if (held) lower_.push_back(record.rate);
  }
  // Excluding flows with lower rates can only raise the level.
  double level = open > 0 ? left / open : kUnfilled;
  for (bool lifted = true; lifted && open > 0;) {
    lifted = false;
    for (std::size_t i = 0; i < lower_.size();) {
      if (lower_[i] > level) {
        ++i;
        continue;
      }
      left -= lower_[i];
      --open;
      lower_[i] = lower_.back();
      lower_.pop_back();
      lifted = true;
    }
    if (lifted) level = open > 0 ? std::max(left, 0.0) / open : kUnfilled;
  }
  return level;
}

void MaxMinRates::enqueue(std::int32_t id, double level) {
  Link& link = links_[index(id)];
  if (link.queued && link.next == level) return;
  link.next = level;
  link.queued = level < kUnfilled;
  if (!link.queued) return;
  heap_.emplace_back(level, id);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

// Marks the link as full at this level: it limits all of its flows that no other link limits to a lower rate.
void MaxMinRates::hold(std::int32_t id, double level) {
  links_[index(id)].level = level;
  for (const FlowId flow : links_[index(id)].flows) {
    Flow& record = flows_[index(flow)];
    if (record.state == State::kFixed) continue;
    const bool kept = record.state == State::kKept;
    if (kept && record.bottleneck != id && record.rate <= level) continue;
    ++work_;
    touch(flow);
    const bool as_before = kept && same(level, record.rate);
    const std::int32_t held_before = std::exchange(record.bottleneck, id);
    if (!as_before) record.rate = level;
    record.state = State::kFixed;
    for (const std::int32_t other : paths_[index(flow)]) {
      Link& shared = links_[index(other)];
      if (other == id) continue;
      if (shared.queued) {
        shared.stale = true;
      } else if (!as_before && (kept || other == held_before) && shared.level < kUnfilled) {
        // The other link now has more remaining capacity, so it is full at the same level or a higher one.
        shared.stale = true;
        enqueue(other, std::max(shared.level, level));
      }
    }
  }
}

// Handles a link that was full at this level but no longer is: the flows that it limited continue to rise.
void MaxMinRates::release(std::int32_t id, double level) {
  links_[index(id)].level = kUnfilled;
  reached_.clear();
  for (const FlowId flow : links_[index(id)].flows) {
    Flow& record = flows_[index(flow)];
    if (record.state != State::kKept || record.bottleneck != id) continue;
    ++work_;
    touch(flow);
    record.state = State::kOpen;
    for (const std::int32_t other : paths_[index(flow)]) {
      if (other != id) reached_.push_back(other);
    }
  }
  std::sort(reached_.begin(), reached_.end());
  reached_.erase(std::unique(reached_.begin(), reached_.end()), reached_.end());
  for (const std::int32_t other : reached_) {
    Link& link = links_[index(other)];
    const double full = std::max(level_of(other), level);
    link.stale = false;
    enqueue(other, std::min(full, std::max(link.level, level)));
  }
}

void MaxMinRates::look_at(std::int32_t id, double level) {
  Link& link = links_[index(id)];
  link.queued = false;
  link.stale = false;
  const double full = std::max(level_of(id), level);
  if (full <= level * (1 + kRounding)) {
    hold(id, level);
  } else if (level < link.level) {
    enqueue(id, std::min(full, link.level));
  } else {
    release(id, level);
    enqueue(id, full);
  }
}

// Enqueues each changed link at the lower of two levels: the one at which it is full now, and the one at
// which it was full before.
void MaxMinRates::start() {
  for (const std::int32_t id : dirty_) {
    Link& link = links_[index(id)];
    link.dirty = false;
    enqueue(id, std::min(level_of(id), link.level));
  }
  dirty_.clear();
}

std::span<const MaxMinRates::FlowId> MaxMinRates::update() {
  changed_.clear();
  start();
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto [level, id] = heap_.back();
    heap_.pop_back();
    const Link& link = links_[index(id)];
    if (link.queued && link.next == level) look_at(id, level);
  }
  for (const FlowId flow : touched_) {
    Flow& record = flows_[index(flow)];
    record.touched = false;
    record.state = State::kKept;
    if (!record.alive) continue;
    if (same(record.rate, record.before)) {
      record.rate = record.before;
    } else {
      changed_.push_back(flow);
    }
  }
  touched_.clear();
  return changed_;
}

std::size_t MaxMinRates::bottleneck(FlowId flow) const {
  const auto& path = paths_[index(flow)];
  const double most = rate(flow) * (1 + kTolerance);
  const auto holds = [&](std::int32_t link) { return links_[index(link)].level <= most; };
  auto link = std::find_if(path.begin(), path.end(), holds);
  // Flows limited elsewhere may fill a link exactly. Such a link has no level of its own.
  if (link == path.end()) link = std::find(path.begin(), path.end(), flows_[index(flow)].bottleneck);
  return static_cast<std::size_t>(link - path.begin());
}

}  // namespace coppice::fabric
