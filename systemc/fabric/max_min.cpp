#include "fabric/max_min.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace coppice::fabric {
namespace {

// Rates are sums and quotients of a few doubles.
constexpr double kTolerance = 1e-9;
constexpr double kRounding = 1e-13;
// When the fillings of an update come to so many times the flows that there are, all that share a link with
// one inside, and so on, are filled at once.
constexpr std::int64_t kMostFillings = 4;

}  // namespace

MaxMinRates::MaxMinRates(std::vector<double> capacities) : links_(capacities.size()) {
  for (std::size_t i = 0; i < capacities.size(); ++i) links_[i].capacity = capacities[i];
}

void MaxMinRates::mark(std::int32_t link) {
  links_[index(link)].stale = true;
  if (std::exchange(links_[index(link)].dirty, true)) return;
  dirty_.push_back(link);
}

void MaxMinRates::attach(FlowId flow, std::span<const std::int32_t> links) {
  flows_[index(flow)].links.assign(links.begin(), links.end());
  for (const std::int32_t link : links) {
    links_[index(link)].flows.push_back(flow);
    mark(link);
  }
}

void MaxMinRates::detach(FlowId flow) {
  for (const std::int32_t link : flows_[index(flow)].links) {
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

void MaxMinRates::take_in(FlowId flow) {
  Flow& record = flows_[index(flow)];
  if (std::exchange(record.inside, true)) return;
  record.before = record.rate;
  inside_.push_back(flow);
  for (const std::int32_t link : record.links) {
    if (!std::exchange(links_[index(link)].touched, true)) touched_.push_back(link);
  }
}

// The link, Link::full and fastest up to date. They are asked for once per flow and link, so they are kept.
const MaxMinRates::Link& MaxMinRates::seen(std::int32_t id) const {
  const Link& link = links_[index(id)];
  if (!std::exchange(link.stale, false)) return link;
  double sum = 0;
  link.fastest = 0;
  for (const FlowId flow : link.flows) {
    const double rate = flows_[index(flow)].rate;
    sum += rate;
    link.fastest = std::max(link.fastest, rate);
  }
  link.full = sum >= link.capacity * (1 - kTolerance);
  return link;
}

bool MaxMinRates::has_bottleneck(const Flow& flow) const {
  return std::any_of(flow.links.begin(), flow.links.end(), [&](std::int32_t id) {
    const Link& link = seen(id);
    return link.full && flow.rate >= link.fastest * (1 - kTolerance);
  });
}

// Progressive filling of the flows inside, in what those outside leave.
void MaxMinRates::fill() {
  work_ += static_cast<std::int64_t>(inside_.size());
  for (const FlowId flow : inside_) flows_[index(flow)].fixed = false;
  for (const std::int32_t id : touched_) {
    Link& link = links_[index(id)];
    link.stale = true;
    link.left = link.capacity;
    link.open = 0;
    link.wanted = 0;
    link.narrowest = false;
    for (const FlowId flow : link.flows) {
      const Flow& record = flows_[index(flow)];
      if (record.inside) {
        ++link.open;
      } else {
        link.left -= record.rate;
      }
    }
    link.left = std::max(link.left, 0.0);
  }
  // No flow is faster than the least that a link of its has left. A link that has all of this for all of its
  // flows is no bottleneck but for those that have the least there.
  for (const FlowId flow : inside_) {
    const auto& links = flows_[index(flow)].links;
    const auto least = std::min_element(links.begin(), links.end(), [this](std::int32_t a, std::int32_t b) {
      return links_[index(a)].left < links_[index(b)].left;
    });
    links_[index(*least)].narrowest = true;
    for (const std::int32_t id : links) links_[index(id)].wanted += links_[index(*least)].left;
  }
  heap_.clear();
  for (const std::int32_t id : touched_) {
    const Link& link = links_[index(id)];
    if (link.narrowest || link.wanted > link.left * (1 - kTolerance))
      heap_.emplace_back(link.left / link.open, id);
  }
  const auto later = std::greater<>();
  std::make_heap(heap_.begin(), heap_.end(), later);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const auto [known_share, id] = heap_.back();
    heap_.pop_back();
    Link& link = links_[index(id)];
    if (link.open == 0) continue;
    const double share = std::max(link.left, 0.0) / link.open;
    if (share > known_share) {  // flows fixed elsewhere have left it more
      heap_.emplace_back(share, id);
      std::push_heap(heap_.begin(), heap_.end(), later);
      continue;
    }
    for (const FlowId flow : link.flows) {
      Flow& record = flows_[index(flow)];
      if (!record.inside || std::exchange(record.fixed, true)) continue;
      record.rate = share;
      for (const std::int32_t other : record.links) {
        Link& shared = links_[index(other)];
        shared.left -= share;
        --shared.open;
      }
    }
  }
}

// Takes in the flows outside that share a link with one inside and cannot keep their rates.
bool MaxMinRates::take_in_violators() {
  const std::size_t known = touched_.size();
  const std::size_t inside = inside_.size();
  ++round_;
  for (std::size_t i = 0; i < known; ++i) {
    const Link& link = seen(touched_[i]);
    const bool is_full = link.full;
    double slowest_held = -1;  // the fastest flow inside that has its bottleneck here, if it has
    if (is_full) {
      for (const FlowId flow : link.flows) {
        if (flows_[index(flow)].inside) slowest_held = std::max(slowest_held, flows_[index(flow)].rate);
      }
    }
    for (std::size_t k = 0; k < link.flows.size(); ++k) {
      const FlowId flow = link.flows[k];
      Flow& record = flows_[index(flow)];
      if (record.inside) continue;
      const bool too_fast = is_full && slowest_held >= 0 && record.rate > slowest_held * (1 + kTolerance);
      // A flow over several of these links needs to be looked at once.
      const bool looked_at = std::exchange(record.round, round_) == round_;
      if (too_fast || (!looked_at && !has_bottleneck(record))) take_in(flow);
    }
  }
  return inside_.size() > inside;
}

void MaxMinRates::take_in_all_reached() {
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    for (const FlowId flow : links_[index(touched_[i])].flows) take_in(flow);
  }
}

std::span<const MaxMinRates::FlowId> MaxMinRates::update() {
  changed_.clear();
  for (const std::int32_t link : dirty_) {
    for (const FlowId flow : links_[index(link)].flows) take_in(flow);
  }
  if (!inside_.empty()) {
    const std::int64_t most = work_ + kMostFillings * static_cast<std::int64_t>(flows_.size() - free_.size());
    fill();
    while (take_in_violators()) {
      const bool all = work_ > most;
      if (all) take_in_all_reached();
      fill();
      if (all) break;
    }
  }
  for (const FlowId flow : inside_) {
    Flow& record = flows_[index(flow)];
    record.inside = false;
    // The same rate found in another order differs in its last bits.
    if (std::abs(record.rate - record.before) > kRounding * record.before) {
      changed_.push_back(flow);
    } else {
      record.rate = record.before;
    }
  }
  for (const std::int32_t link : touched_) links_[index(link)].touched = false;
  for (const std::int32_t link : dirty_) links_[index(link)].dirty = false;
  inside_.clear();
  touched_.clear();
  dirty_.clear();
  return changed_;
}

bool MaxMinRates::is_max_min_fair() const {
  for (const Link& link : links_) {
    double sum = 0;
    for (const FlowId flow : link.flows) sum += flows_[index(flow)].rate;
    if (sum > link.capacity * (1 + kTolerance)) return false;
  }
  return std::all_of(flows_.begin(), flows_.end(),
                     [&](const Flow& flow) { return !flow.alive || has_bottleneck(flow); });
}

}  // namespace coppice::fabric
