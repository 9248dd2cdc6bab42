#include "schedule/rings/disjoint_rings.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "schedule/compile/link_pool.h"

namespace coppice::schedule {
namespace {

using Cycle = std::vector<NodeId>;

bool has_links_only(const topology::Topology& topology) {
  if (topology.num_switches() > 0) return false;
  // The number of channels in one direction minus the number in the other direction.
  std::map<std::pair<NodeId, NodeId>, int> surplus;
  for (const topology::Channel& channel : topology.channels()) {
    const bool up = channel.src < channel.dst;
    surplus[std::minmax(channel.src, channel.dst)] += up ? 1 : -1;
  }
  return std::ranges::all_of(surplus, [](const auto& pair) { return pair.second == 0; });
}

// A depth-first search that finds a cycle and then further cycles over the remaining links.
class CycleSearch {
 public:
  CycleSearch(const topology::Topology& topology, std::int64_t effort) : links_(topology), effort_(effort) {
    most_ = std::numeric_limits<int>::max();
    for (NodeId node = 0; node < links_.accelerators(); ++node) {
      most_ = std::min(most_, links_.degree(node) / 2);
    }
    on_path_.resize(static_cast<std::size_t>(links_.accelerators()), 0);
  }

  std::vector<Cycle> run() {
    next_cycle();
    return best_;
  }

 private:
  bool done() const { return static_cast<int>(best_.size()) == most_ || steps_ > effort_; }

  void next_cycle() {
    if (cycles_.size() > best_.size()) best_ = cycles_;
    if (done()) return;
    cycles_.push_back({0});
    on_path_.assign(on_path_.size(), 0);
    on_path_[0] = 1;
    extend();
    cycles_.pop_back();
  }

  // Extends the path of the last cycle. Restores the state before returning.
  void extend() {
    ++steps_;
    const std::size_t current = cycles_.size() - 1;
    const NodeId at = cycles_[current].back();
    if (cycles_[current].size() == on_path_.size()) {
      // Every cycle is found in both directions, so one of them is skipped.
      if (!links_.free(at, 0) || at < cycles_[current][1]) return;
      links_.take(at, 0);
      next_cycle();
      on_path_.assign(on_path_.size(), 1);
      links_.release(at, 0);
      return;
    }
    for (const NodeId next : links_.neighbours(at)) {
      if (done()) return;
      auto& visited = on_path_[static_cast<std::size_t>(next)];
      if (visited != 0 || !links_.free(at, next)) continue;
      links_.take(at, next);
      visited = 1;
      cycles_[current].push_back(next);
      extend();
      cycles_[current].pop_back();
      on_path_[static_cast<std::size_t>(next)] = 0;
      links_.release(at, next);
    }
  }

  NeighbourLinks links_;
  std::int64_t effort_;
  std::int64_t steps_ = 0;
  int most_;
  std::vector<std::uint8_t> on_path_;  // [accelerator]: whether it is on the path of the last cycle
  std::vector<Cycle> cycles_;
  std::vector<Cycle> best_;
};

}  // namespace

std::vector<std::vector<topology::ChannelId>> channel_rings(const topology::Topology& topology,
                                                            std::int64_t effort) {
  std::vector<std::vector<topology::ChannelId>> rings;
  if (topology.num_accelerators() < 3 || !has_links_only(topology)) return rings;
  NeighbourLinks links(topology);
  for (const Cycle& cycle : CycleSearch(topology, effort).run()) {
    std::vector<topology::ChannelId> forward;
    std::vector<topology::ChannelId> backward;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const auto channels = links.claim(cycle[i], cycle[(i + 1) % cycle.size()]);
      forward.push_back(channels.there);
      backward.push_back(channels.back);
    }
    std::ranges::reverse(backward);
    rings.push_back(std::move(forward));
    rings.push_back(std::move(backward));
  }
  return rings;
}

}  // namespace coppice::schedule
