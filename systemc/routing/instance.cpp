#include "routing/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace coppice::routing {

ClosLinks::ClosLinks(int tors, int spines)
    : tors_(tors),
      spines_(spines),
      live_up_(static_cast<std::size_t>(tors) * static_cast<std::size_t>(spines), 1),
      live_down_(live_up_.size(), 1) {}

ClosLinks::ClosLinks(const topology::Clos& clos) : ClosLinks(clos.tors(), clos.spines()) {
  for (int tor = 0; tor < tors_; ++tor) {
    for (int spine = 0; spine < spines_; ++spine) {
      live_up_[index(tor, spine)] = clos.up(tor, spine) >= 0 ? 1 : 0;
      live_down_[index(tor, spine)] = clos.down(spine, tor) >= 0 ? 1 : 0;
    }
  }
}

std::vector<int> ClosLinks::live_spines(int src_tor, int dst_tor) const {
  std::vector<int> live;
  for (int spine = 0; spine < spines_; ++spine) {
    if (usable(src_tor, spine, dst_tor)) live.push_back(spine);
  }
  return live;
}

void ClosLinks::set_link(int tor, int spine, bool alive) {
  live_up_[index(tor, spine)] = alive ? 1 : 0;
  live_down_[index(tor, spine)] = alive ? 1 : 0;
}

void ClosLinks::set_spine(int spine, bool alive) {
  for (int tor = 0; tor < tors_; ++tor) set_link(tor, spine, alive);
}

bool ClosLinks::uniform() const {
  if (live_up_ != live_down_) return false;
  const auto width = static_cast<std::ptrdiff_t>(spines_);
  for (std::ptrdiff_t tor = 1; tor < tors_; ++tor) {
    if (!std::equal(live_up_.begin(), live_up_.begin() + width, live_up_.begin() + tor * width)) return false;
  }
  return true;
}

void require_routable(const ClosLinks& links, std::span<const Flow> flows) {
  std::vector<std::size_t> lost;
  std::string names;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    if (flow.local()) continue;
    bool routable = false;
    for (int s = 0; s < links.spines() && !routable; ++s) {
      routable = links.usable(flow.src_tor, s, flow.dst_tor);
    }
    if (routable) continue;
    constexpr std::size_t kNamed = 4;
    if (lost.size() < kNamed) {
      names += fmt::format("{}{}->{} (ToR {} to ToR {})", lost.empty() ? "" : ", ", flow.src, flow.dst,
                           flow.src_tor, flow.dst_tor);
    }
    lost.push_back(i);
  }
  if (lost.empty()) return;
  throw UnroutableError(fmt::format("{} of {} flows have no live path: {}{}", lost.size(), flows.size(),
                                    names, lost.size() > 4 ? ", ..." : ""),
                        lost);
}

int max_load(const ClosLinks& links, std::span<const Flow> flows, std::span<const int> assignment) {
  const auto width = static_cast<std::size_t>(links.spines());
  std::vector<int> up(static_cast<std::size_t>(links.tors()) * width, 0);
  std::vector<int> down(up.size(), 0);
  int most = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    if (flow.local()) continue;
    const int spine = assignment[i];
    if (spine < 0 || spine >= links.spines() || !links.usable(flow.src_tor, spine, flow.dst_tor)) {
      throw std::invalid_argument(fmt::format("flow {} from ToR {} to ToR {} has no path over spine {}", i,
                                              flow.src_tor, flow.dst_tor, spine));
    }
    most = std::max(
        {most, ++up[static_cast<std::size_t>(flow.src_tor) * width + static_cast<std::size_t>(spine)],
         ++down[static_cast<std::size_t>(flow.dst_tor) * width + static_cast<std::size_t>(spine)]});
  }
  return most;
}

namespace {

// Computes, for one ToR and one direction, the minimum load of the busiest link. The ToR's flows are matched
// to spines, each of which accepts at most `capacity` flows. The flows to or from the same other ToR form a
// group: `allowed[group]` lists the spines that the group's `count[group]` flows may use.
class TorMatching {
 public:
  TorMatching(int spines, std::vector<std::vector<int>> allowed, std::vector<int> count)
      : spines_(spines), allowed_(std::move(allowed)), count_(std::move(count)) {}

  int least_load() const {
    int flows = 0;
    for (const int c : count_) flows += c;
    int low = (flows + spines_ - 1) / std::max(spines_, 1);
    while (!fits(low)) ++low;
    return low;
  }

 private:
  // Whether all flows fit. Computes a maximum flow by augmenting paths, one unit at a time, which is fast
  // enough because there are few groups.
  bool fits(int capacity) const {
    std::vector<std::vector<int>> taken(allowed_.size(), std::vector<int>(static_cast<std::size_t>(spines_)));
    std::vector<int> load(static_cast<std::size_t>(spines_), 0);
    for (std::size_t g = 0; g < allowed_.size(); ++g) {
      for (int i = 0; i < count_[g]; ++i) {
        std::vector<bool> seen(static_cast<std::size_t>(spines_), false);
        if (!augment(g, capacity, taken, load, seen)) return false;
      }
    }
    return true;
  }

  bool augment(std::size_t group, int capacity, std::vector<std::vector<int>>& taken, std::vector<int>& load,
               std::vector<bool>& seen) const {
    for (const int spine : allowed_[group]) {
      const auto s = static_cast<std::size_t>(spine);
      if (seen[s]) continue;
      seen[s] = true;
      if (load[s] < capacity) {
        ++load[s];
        ++taken[group][s];
        return true;
      }
      for (std::size_t other = 0; other < allowed_.size(); ++other) {
        if (taken[other][s] == 0 || !augment(other, capacity, taken, load, seen)) continue;
        --taken[other][s];
        ++taken[group][s];
        return true;
      }
    }
    return false;
  }

  int spines_;
  std::vector<std::vector<int>> allowed_;
  std::vector<int> count_;
};

int bound_of_tor(const ClosLinks& links, std::span<const Flow> flows, int tor, bool outward) {
  std::vector<int> towards(static_cast<std::size_t>(links.tors()), 0);
  for (const Flow& flow : flows) {
    if (flow.local() || (outward ? flow.src_tor : flow.dst_tor) != tor) continue;
    ++towards[static_cast<std::size_t>(outward ? flow.dst_tor : flow.src_tor)];
  }
  std::vector<std::vector<int>> allowed;
  std::vector<int> count;
  for (int other = 0; other < links.tors(); ++other) {
    const int flows_there = towards[static_cast<std::size_t>(other)];
    if (flows_there == 0) continue;
    allowed.push_back(outward ? links.live_spines(tor, other) : links.live_spines(other, tor));
    count.push_back(flows_there);
  }
  if (count.empty()) return 0;
  return TorMatching(links.spines(), std::move(allowed), std::move(count)).least_load();
}

}  // namespace

int busiest_degree(const ClosLinks& links, std::span<const Flow> flows) {
  const auto tors = static_cast<std::size_t>(links.tors());
  std::vector<int> out(tors, 0);
  std::vector<int> in(tors, 0);
  int most = 0;
  for (const Flow& flow : flows) {
    if (flow.local()) continue;
    most = std::max(
        {most, ++out[static_cast<std::size_t>(flow.src_tor)], ++in[static_cast<std::size_t>(flow.dst_tor)]});
  }
  return most;
}

int lower_bound(const ClosLinks& links, std::span<const Flow> flows) {
  require_routable(links, flows);
  const int degree = busiest_degree(links, flows);
  if (degree == 0) return 0;
  if (links.uniform()) {
    int live = 0;
    for (int s = 0; s < links.spines(); ++s) live += links.up(0, s) ? 1 : 0;
    return (degree + live - 1) / live;
  }
  int bound = 1;
  for (int tor = 0; tor < links.tors(); ++tor) {
    bound = std::max({bound, bound_of_tor(links, flows, tor, true), bound_of_tor(links, flows, tor, false)});
  }
  return bound;
}

}  // namespace coppice::routing
