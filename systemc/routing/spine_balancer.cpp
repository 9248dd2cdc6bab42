#include "routing/spine_balancer.h"

#include <algorithm>

namespace coppice::routing {

SpineBalancer::SpineBalancer(const ClosLinks& links, std::span<const Flow> flows)
    : links_(&links),
      flows_(flows),
      loads_(links),
      spine_(flows.size(), kNoSpine),
      caps_(2 * static_cast<std::size_t>(links.tors()), 0),
      heads_(caps_.size() * static_cast<std::size_t>(links.spines()), kNone),
      next_(flows.size(), {kNone, kNone}),
      used_(flows.size(), 0),
      uniform_(links.uniform()) {}

void SpineBalancer::cap_by_degree() {
  std::ranges::fill(caps_, 0);
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    if (flows_[i].local()) continue;
    ++caps_[static_cast<std::size_t>(end(i, true))];
    ++caps_[static_cast<std::size_t>(end(i, false))];
  }
  for (std::size_t e = 0; e < caps_.size(); ++e) {
    const int live = std::max(loads_.live(static_cast<int>(e)), 1);
    caps_[e] = (caps_[e] + live - 1) / live;
  }
}

void SpineBalancer::cap_all(int most) {
  std::ranges::fill(caps_, most);
}

void SpineBalancer::attach(std::size_t flow, int spine) {
  spine_[flow] = spine;
  for (const int e : {end(flow, true), end(flow, false)}) {
    std::int64_t& first = head(e, spine);
    next(flow, e) = first;
    first = static_cast<std::int64_t>(flow);
    loads_.add(e, spine);
  }
}

void SpineBalancer::unlink(std::size_t flow, int e, int spine) {
  std::int64_t* at = &head(e, spine);
  while (*at != static_cast<std::int64_t>(flow)) at = &next(static_cast<std::size_t>(*at), e);
  *at = next(flow, e);
}

void SpineBalancer::detach(std::size_t flow) {
  const int spine = spine_[flow];
  for (const int e : {end(flow, true), end(flow, false)}) {
    unlink(flow, e, spine);
    loads_.remove(e, spine);
  }
  spine_[flow] = kNoSpine;
}

void SpineBalancer::put(std::size_t flow, int spine) {
  attach(flow, spine);
}

bool SpineBalancer::place(std::size_t flow) {
  const int from = end(flow, true);
  const int to = end(flow, false);
  const int most = std::max(cap(from), cap(to));
  for (int k = 0; k < most; ++k) {
    const int spine = loads_.common(from, std::min(k, cap(from) - 1), to, std::min(k, cap(to) - 1));
    if (spine == kNoSpine) continue;
    attach(flow, spine);
    return true;
  }
  // No spine has room at both ends. Tries pairs of spines, one with room at the source and the other with
  // room at the destination.
  constexpr int kTries = 64;
  int tries = 0;
  for (int a = 0; a < links_->spines(); ++a) {
    if (loads_.load(from, a) >= cap(from) || !links_->usable(flows_[flow].src_tor, a, flows_[flow].dst_tor)) {
      continue;
    }
    for (int b = 0; b < links_->spines(); ++b) {
      if (loads_.load(to, b) >= cap(to) || !links_->down(b, flows_[flow].dst_tor)) continue;
      if (assign_by_chain(flow, a, b)) return true;
      if (uniform_ || ++tries == kTries) return false;
    }
  }
  return false;
}

// A flow on spine `from` at end `e` that may use spine `to` and that the current chain has not yet moved;
// kNone if there is none.
std::int64_t SpineBalancer::movable(int e, int from, int to) {
  for (std::int64_t i = head(e, from); i != kNone; i = next(static_cast<std::size_t>(i), e)) {
    const auto flow = static_cast<std::size_t>(i);
    if (used_[flow] == chain_) continue;
    if (uniform_ || links_->usable(flows_[flow].src_tor, to, flows_[flow].dst_tor)) return i;
  }
  return kNone;
}

bool SpineBalancer::assign_by_chain(std::size_t flow, int a, int b) {
  ++chain_;
  moved_.clear();
  attach(flow, a);
  used_[flow] = chain_;
  bool at_source = false;
  int e = end(flow, at_source);
  int from = a;
  int to = b;
  while (loads_.load(e, from) > cap(e)) {
    const std::int64_t next_flow = movable(e, from, to);
    if (next_flow == kNone) {
      for (auto it = moved_.rbegin(); it != moved_.rend(); ++it) {
        detach(it->first);
        attach(it->first, it->second);
      }
      detach(flow);
      return false;
    }
    const auto moving = static_cast<std::size_t>(next_flow);
    moved_.emplace_back(moving, from);
    used_[moving] = chain_;
    detach(moving);
    attach(moving, to);
    at_source = !at_source;
    e = end(moving, at_source);
    std::swap(from, to);
  }
  return true;
}

int SpineBalancer::least_excess() const {
  int up = 0;
  int down = 0;
  for (int tor = 0; tor < links_->tors(); ++tor) {
    const int out = loads_.up_end(tor);
    const int in = loads_.down_end(tor);
    for (int spine = 0; spine < links_->spines(); ++spine) {
      up += std::max(loads_.load(out, spine) - cap(out), 0);
      down += std::max(loads_.load(in, spine) - cap(in), 0);
    }
  }
  return std::max(up, down);
}

// First removes flows whose links are both above their caps, because removing such a flow relieves two links.
std::vector<std::size_t> SpineBalancer::remove_excess() {
  std::vector<std::size_t> taken;
  for (const bool both : {true, false}) {
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      if (spine_[i] == kNoSpine) continue;
      const bool source = loads_.load(end(i, true), spine_[i]) > cap(end(i, true));
      const bool destination = loads_.load(end(i, false), spine_[i]) > cap(end(i, false));
      if (both ? !(source && destination) : !(source || destination)) continue;
      detach(i);
      taken.push_back(i);
    }
  }
  return taken;
}

}  // namespace coppice::routing
