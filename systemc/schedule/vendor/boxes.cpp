#include "schedule/vendor/boxes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/random.h"
#include "schedule/compile/channel_paths.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

// Returns the sets of accelerators that are connected by channels of at least `least` bytes per second, in
// the order of their first members.
std::vector<std::vector<NodeId>> joined_by(const Topology& topology, std::int64_t least) {
  std::vector<NodeId> parent(static_cast<std::size_t>(topology.num_nodes()));
  std::iota(parent.begin(), parent.end(), 0);
  const std::function<NodeId(NodeId)> find = [&](NodeId node) {
    NodeId& known = parent[static_cast<std::size_t>(node)];
    return known == node ? node : known = find(known);
  };
  for (const topology::Channel& channel : topology.channels()) {
    if (channel.bandwidth.bytes_per_second < least) continue;
    parent[static_cast<std::size_t>(find(channel.src))] = find(channel.dst);
  }
  std::map<NodeId, std::size_t> known;
  std::vector<std::vector<NodeId>> groups;
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    const auto [place, added] = known.try_emplace(find(node), groups.size());
    if (added) groups.emplace_back();
    groups[place->second].push_back(node);
  }
  return groups;
}

}  // namespace

Boxes find_boxes(const Topology& topology) {
  std::set<std::int64_t, std::greater<>> rates;
  for (const topology::Channel& channel : topology.channels())
    rates.insert(channel.bandwidth.bytes_per_second);
  for (const std::int64_t rate : rates) {
    auto groups = joined_by(topology, rate);
    const std::size_t size = groups.front().size();
    const bool alike = std::ranges::all_of(groups, [&](const auto& group) { return group.size() == size; });
    if (alike && size > 1) return {std::move(groups)};
  }
  std::vector<NodeId> all(static_cast<std::size_t>(topology.num_accelerators()));
  std::iota(all.begin(), all.end(), 0);
  return {{std::move(all)}};
}

bool fully_connected(const Topology& topology) {
  for (NodeId from = 0; from < topology.num_accelerators(); ++from) {
    for (NodeId to = 0; to < topology.num_accelerators(); ++to) {
      if (from != to && find_channel(topology, from, to) < 0) return false;
    }
  }
  return true;
}

namespace {

// Searches for rings that share no link in the same direction. Links are tried in random order.
class RingSearch {
 public:
  explicit RingSearch(int count)
      : count_(count), taken_(static_cast<std::size_t>(count) * static_cast<std::size_t>(count), false) {}

  bool find(Random& random, std::vector<int>& ring) {
    ring = {0};
    steps_ = 0;
    visited_.assign(static_cast<std::size_t>(count_), false);
    visited_[0] = true;
    if (!extend(random, ring)) return false;
    for (std::size_t i = 0; i < ring.size(); ++i) taken(ring[i], ring[(i + 1) % ring.size()]) = true;
    return true;
  }

 private:
  static constexpr int kMostSteps = 2000;

  std::vector<bool>::reference taken(int from, int to) {
    return taken_[static_cast<std::size_t>(from) * static_cast<std::size_t>(count_) +
                  static_cast<std::size_t>(to)];
  }
  bool extend(Random& random, std::vector<int>& ring) {
    if (++steps_ > kMostSteps) return false;
    if (static_cast<int>(ring.size()) == count_) return !taken(ring.back(), 0);
    std::vector<int> next;
    for (int to = 0; to < count_; ++to) {
      if (!visited_[static_cast<std::size_t>(to)] && !taken(ring.back(), to)) next.push_back(to);
    }
    for (std::size_t i = next.size(); i > 1; --i) std::swap(next[i - 1], next[random.below(i)]);
    for (const int to : next) {
      visited_[static_cast<std::size_t>(to)] = true;
      ring.push_back(to);
      if (extend(random, ring)) return true;
      ring.pop_back();
      visited_[static_cast<std::size_t>(to)] = false;
    }
    return false;
  }

  int count_;
  std::vector<bool> taken_;
  std::vector<bool> visited_;
  int steps_ = 0;
};

}  // namespace

std::vector<std::vector<int>> directed_rings(int count) {
  constexpr int kTries = 2000;
  std::vector<std::vector<int>> best;
  Random random(1);
  for (int i = 0; i < kTries && static_cast<int>(best.size()) < count - 1; ++i) {
    std::vector<std::vector<int>> rings;
    RingSearch search(count);
    std::vector<int> ring;
    while (static_cast<int>(rings.size()) < count - 1 && search.find(random, ring)) rings.push_back(ring);
    if (rings.size() > best.size()) best = std::move(rings);
  }
  return best;
}

NodeId adder_of(const Topology& topology, const std::vector<NodeId>& box) {
  for (NodeId node = topology.num_accelerators(); node < topology.num_interfaces(); ++node) {
    const bool serves = std::ranges::all_of(box, [&](NodeId member) {
      return find_channel(topology, member, node) >= 0 && find_channel(topology, node, member) >= 0;
    });
    if (serves) return node;
  }
  return topology::kNoNode;
}

}  // namespace coppice::schedule
