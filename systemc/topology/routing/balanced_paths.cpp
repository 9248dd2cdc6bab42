#include "topology/routing/balanced_paths.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace coppice::topology {
namespace {

// For each node, the number of channels to `root`; -1 if there is no path.
std::vector<std::int32_t> distances_to(const Topology& topology, NodeId root) {
  std::vector<std::int32_t> distance(static_cast<std::size_t>(topology.num_nodes()), -1);
  std::vector<NodeId> queue{root};
  distance[static_cast<std::size_t>(root)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const ChannelId id : topology.in_channels(queue[i])) {
      const NodeId src = topology.channel(id).src;
      if (distance[static_cast<std::size_t>(src)] >= 0) continue;
      distance[static_cast<std::size_t>(src)] = distance[static_cast<std::size_t>(queue[i])] + 1;
      queue.push_back(src);
    }
  }
  return distance;
}

// Returns the distances to the centre. Among the nodes (only switches, if there are any) that the most nodes
// can reach, the centre is the one with the smallest maximum distance or, among several of these, the lowest
// number.
std::vector<std::int32_t> distances_to_centre(const Topology& topology) {
  const NodeId first = topology.num_switches() > 0 ? topology.num_accelerators() : 0;
  std::vector<std::int32_t> best;
  std::pair<std::ptrdiff_t, std::int32_t> best_key{std::numeric_limits<std::ptrdiff_t>::max(), 0};
  for (NodeId root = first; root < topology.num_nodes(); ++root) {
    std::vector<std::int32_t> distance = distances_to(topology, root);
    const std::pair key{std::ranges::count(distance, -1), *std::ranges::max_element(distance)};
    if (key < best_key) {
      best_key = key;
      best = std::move(distance);
    }
  }
  return best;
}

}  // namespace

PathRules any_path(const Topology& topology) {
  return {.phases = 1, .after = std::vector<int>(topology.channels().size(), 0)};
}

PathRules up_down_paths(const Topology& topology) {
  const std::vector<std::int32_t> distance = distances_to_centre(topology);
  const auto rank = [&](NodeId node) { return std::pair{distance[static_cast<std::size_t>(node)], node}; };
  PathRules rules{.phases = 2, .after = {}};
  for (const Channel& channel : topology.channels()) {
    const bool up = rank(channel.dst) < rank(channel.src);
    rules.after.push_back(up ? 0 : 1);
    rules.after.push_back(up ? -1 : 1);
  }
  return rules;
}

std::vector<NodeId> in_order_of_switches(const Topology& topology) {
  // [switch]: whether it has channels to other switches, and the number of its accelerators.
  std::vector<std::pair<bool, int>> rank(static_cast<std::size_t>(topology.num_nodes()));
  for (const Channel& channel : topology.channels()) {
    auto& [joins, accelerators] = rank[static_cast<std::size_t>(channel.src)];
    if (topology.is_accelerator(channel.dst)) {
      ++accelerators;
    } else {
      joins = true;
    }
  }
  const auto n = static_cast<std::size_t>(topology.num_accelerators());
  std::vector<NodeId> switch_of(n, kNoNode);
  std::vector<NodeId> first_on(rank.size(), kNoNode);  // [switch]: the first accelerator on it
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    NodeId& largest = switch_of[static_cast<std::size_t>(node)];
    for (const ChannelId id : topology.in_channels(node)) {
      const NodeId src = topology.channel(id).src;
      if (topology.is_accelerator(src)) continue;
      const auto rank_of = [&](NodeId other) { return rank[static_cast<std::size_t>(other)]; };
      if (largest == kNoNode || rank_of(src) > rank_of(largest)) largest = src;
    }
    if (largest == kNoNode) continue;
    NodeId& first = first_on[static_cast<std::size_t>(largest)];
    if (first == kNoNode) first = node;
  }
  std::vector<NodeId> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](NodeId node) {
    const NodeId on = switch_of[static_cast<std::size_t>(node)];
    return on == kNoNode ? node : first_on[static_cast<std::size_t>(on)];
  });
  return order;
}

BalancedPaths::BalancedPaths(const Topology& topology, const PathRules& rules)
    : topology_(&topology), rules_(&rules), load_(topology.channels().size()) {}

std::int32_t BalancedPaths::state_after(ChannelId channel, int phase) const {
  const int next = rules_->phase_after(channel, phase);
  return next < 0 ? -1 : topology_->channel(channel).dst * rules_->phases + next;
}

// Sets distance_ and returns the states that can reach dst, in order of increasing distance.
std::vector<std::int32_t> BalancedPaths::search_backwards(NodeId dst) {
  const int phases = rules_->phases;
  distance_.assign(rules_->index(topology_->num_nodes(), 0), -1);
  std::vector<std::int32_t> queue;
  for (int phase = 0; phase < phases; ++phase) {
    queue.push_back(dst * phases + phase);
    distance_[static_cast<std::size_t>(queue.back())] = 0;
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const ChannelId id : topology_->in_channels(queue[i] / phases)) {
      for (int phase = 0; phase < phases; ++phase) {
        if (state_after(id, phase) != queue[i]) continue;
        const std::int32_t state = topology_->channel(id).src * phases + phase;
        if (distance_[static_cast<std::size_t>(state)] >= 0) continue;
        distance_[static_cast<std::size_t>(state)] = distance_[static_cast<std::size_t>(queue[i])] + 1;
        queue.push_back(state);
      }
    }
  }
  return queue;
}

ChannelId BalancedPaths::least_loaded(std::int32_t state, double added) const {
  ChannelId best = -1;
  double best_time = 0;
  for (const ChannelId id : topology_->out_channels(state / rules_->phases)) {
    const std::int32_t next = state_after(id, state % rules_->phases);
    if (next < 0 ||
        distance_[static_cast<std::size_t>(next)] + 1 != distance_[static_cast<std::size_t>(state)] ||
        distance_[static_cast<std::size_t>(next)] < 0) {
      continue;
    }
    const double time = (load_[static_cast<std::size_t>(id)] + added) /
                        static_cast<double>(topology_->channel(id).bandwidth.bytes_per_second);
    if (best < 0 || time < best_time) {
      best = id;
      best_time = time;
    }
  }
  return best;
}

PathTree BalancedPaths::paths_to(NodeId dst) {
  PathTree tree;
  tree.far_to_near = search_backwards(dst);
  std::ranges::reverse(tree.far_to_near);
  // Removes the states of the destination itself, which were found first, one per phase.
  tree.far_to_near.resize(tree.far_to_near.size() - static_cast<std::size_t>(rules_->phases));

  const int phases = rules_->phases;
  tree.next.assign(distance_.size(), -1);
  std::vector<double> traffic(distance_.size());
  for (const std::int32_t state : tree.far_to_near) {
    double& here = traffic[static_cast<std::size_t>(state)];
    if (topology_->is_accelerator(state / phases) && state % phases == 0) here += 1;
    const ChannelId next = least_loaded(state, here);
    tree.next[static_cast<std::size_t>(state)] = next;
    load_[static_cast<std::size_t>(next)] += here;
    traffic[static_cast<std::size_t>(state_after(next, state % phases))] += here;
  }
  return tree;
}

}  // namespace coppice::topology
