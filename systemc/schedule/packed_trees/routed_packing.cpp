#include "schedule/packed_trees/routed_packing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::kNoNode;
using topology::NodeId;
using topology::Topology;

constexpr double kFirstSharpness = 6;
constexpr double kSharpening = 1.35;  // every round
constexpr double kMostSharpness = 60;
constexpr double kLevelPrice = 0.02;  // of a mean hop, in prices of a channel that is fully used

std::size_t index(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

// The channel back of every channel, of the same bandwidth; nothing if one has none.
std::optional<std::vector<ChannelId>> twins_of(const Topology& topology) {
  std::map<std::pair<NodeId, NodeId>, std::vector<ChannelId>> between;
  const auto count = static_cast<ChannelId>(topology.channels().size());
  const auto rate = [&](ChannelId id) { return topology.channel(id).bandwidth.bytes_per_second; };
  for (ChannelId id = 0; id < count; ++id) {
    between[{topology.channel(id).src, topology.channel(id).dst}].push_back(id);
  }
  for (auto& [ends, ids] : between) std::ranges::stable_sort(ids, std::ranges::greater{}, rate);
  std::vector<ChannelId> twins(index(count), -1);
  for (const auto& [ends, ids] : between) {
    const auto back = between.find({ends.second, ends.first});
    if (back == between.end() || !std::ranges::equal(ids, back->second, {}, rate, rate)) return std::nullopt;
    for (std::size_t i = 0; i < ids.size(); ++i) twins[index(ids[i])] = back->second[i];
  }
  return twins;
}

// A tree one way: every accelerator's parent, and the channels between them in the direction of its messages.
struct Branches {
  NodeId root = kNoNode;
  std::vector<NodeId> joined;  // parents before their children, the root first
  std::vector<NodeId> parent;
  std::vector<ChannelPath> path;
};

enum class Way : std::uint8_t { kUp, kDown };

class RoutedPacker {
 public:
  RoutedPacker(const Topology& topology, const CompileRequest& request, TreeWays ways)
      : topology_(topology),
        ways_(ways),
        labels_(index(topology.num_nodes())),
        load_(topology.channels().size(), 0),
        price_(topology.channels().size(), -1) {
    if (ways.up && ways.down) twins_ = twins_of(topology);
    const MessageTiming timing(topology, request);
    double sum = 0;
    for (ChannelId id = 0; id < static_cast<ChannelId>(load_.size()); ++id) {
      hop_.push_back(static_cast<double>(timing.delay({&id, 1}, Op::kReduce)));
      sum += hop_.back();
      rate_.push_back(topology.channel(id).bandwidth.gb_per_s());
    }
    const double mean = sum > 0 ? sum / static_cast<double>(hop_.size()) : 1;
    for (double& hop : hop_) hop /= mean;
  }

  RoutedPacking pack(std::span<const NodeId> roots, int rounds) {
    // Every message leaves an accelerator.
    double out = 0;
    for (const topology::Channel& channel : topology_.channels()) {
      if (topology_.is_accelerator(channel.src)) out += channel.bandwidth.gb_per_s();
    }
    const int both = (ways_.up ? 1 : 0) + (ways_.down ? 1 : 0);
    const double least_possible =
        static_cast<double>(roots.size()) * both * (topology_.num_accelerators() - 1) / std::max(out, 1e-9);
    std::vector<std::vector<Branches>> trees(roots.size());
    std::vector<std::vector<Branches>> best;
    double least = std::numeric_limits<double>::infinity();
    sharpness_ = kFirstSharpness;
    for (int round = 0; round <= rounds; ++round) {
      bool changed = false;
      for (std::size_t t = 0; t < trees.size(); ++t) {
        target_ = std::max(congestion(), least_possible);
        std::ranges::fill(price_, -1);
        changed = regrow(trees[t], roots[t], static_cast<int>(t) + round) || changed;
      }
      const double now = congestion();
      if (now < least * (1 - 1e-12)) {
        least = now;
        best = trees;
      }
      sharpness_ = std::min(sharpness_ * kSharpening, kMostSharpness);
      if (!changed) break;
    }
    RoutedPacking packing;
    for (const auto& tree : best) packing.trees.push_back(to_hops(tree));
    packing.ns_per_byte = congestion_ns(topology_, packing.trees);
    return packing;
  }

 private:
  // How a node is reached from the tree that grows.
  struct Label {
    double key = std::numeric_limits<double>::infinity();
    ChannelId over = -1;
    NodeId from = kNoNode;  // an accelerator of the tree itself, over no channel

    bool is_source() const { return over < 0 && from != kNoNode; }
  };

  double congestion() const {
    double most = 0;
    for (std::size_t i = 0; i < load_.size(); ++i) most = std::max(most, load_[i] / rate_[i]);
    return most;
  }
  double price_at(std::size_t channel, double load) const {
    return std::exp(sharpness_ * (load / (rate_[channel] * target_) - 1));
  }
  // Of one use more; kept until the load or the prices of all change.
  double own_price(ChannelId id) const {
    double& known = price_[index(id)];
    if (known < 0) known = price_at(index(id), load_[index(id)] + 1);
    return known;
  }
  double price(ChannelId id) const {
    return twins_ ? own_price(id) + own_price((*twins_)[index(id)]) : own_price(id);
  }
  void change_load(ChannelId id, double amount) {
    load_[index(id)] += amount;
    price_[index(id)] = -1;
  }
  void add(const ChannelPath& path, double amount) {
    for (const ChannelId id : path) {
      change_load(id, amount);
      if (twins_) change_load((*twins_)[index(id)], amount);
    }
  }
  void add(const std::vector<Branches>& tree, double amount) {
    for (const Branches& branches : tree) {
      for (const ChannelPath& path : branches.path) add(path, amount);
    }
  }
  double potential(const std::vector<Branches>& tree) const {
    double sum = 0;
    for (std::size_t i = 0; i < load_.size(); ++i) sum += price_at(i, load_[i]);
    for (const Branches& branches : tree) {
      for (const double depth : depths(branches)) sum += kLevelPrice * depth;
    }
    return sum;
  }
  std::vector<double> depths(const Branches& branches) const {
    std::vector<double> depth(branches.parent.size(), 0);
    for (const NodeId node : branches.joined) {
      if (node == branches.root) continue;
      depth[index(node)] = depth[index(branches.parent[index(node)])];
      for (const ChannelId id : branches.path[index(node)]) depth[index(node)] += hop_[index(id)];
    }
    return depth;
  }

  // Whether the tree is another one now.
  bool regrow(std::vector<Branches>& tree, NodeId root, int turn) {
    const bool first = tree.empty();
    const double before = first ? 0 : potential(tree);
    add(tree, -1);
    const bool free_root = root == kNoNode;
    const bool keep = !first && (twins_ || turn % 2 == 0);
    if (free_root) root = keep ? tree.front().root : static_cast<NodeId>(turn % topology_.num_accelerators());
    std::vector<Branches> grown;
    if (ways_.up && !twins_) grown.push_back(grow(root, Way::kUp));
    if (ways_.down) grown.push_back(grow(root, Way::kDown));
    if (!first && potential(grown) > before * (1 - 1e-9)) {
      add(grown, -1);
      add(tree, 1);
      return false;
    }
    if (free_root && twins_) center(grown.front());
    tree = std::move(grown);
    return true;
  }

  // From `root`, the cheapest accelerator next; what it takes is added to the loads.
  Branches grow(NodeId root, Way way) {
    const std::size_t n = index(topology_.num_accelerators());
    Branches tree{root, {root}, std::vector<NodeId>(n, kNoNode), std::vector<ChannelPath>(n)};
    std::vector<double> depth(n, 0);
    way_ = way;
    std::ranges::fill(labels_, Label{});
    heap_.clear();
    make_source(root, 0);
    while (tree.joined.size() < n) {
      const NodeId node = nearest();
      if (node == kNoNode) {
        const auto missing =
            std::ranges::find_if(labels_, [](const Label& label) { return !label.is_source(); }) -
            labels_.begin();
        throw UnsupportedError(way == Way::kDown
                                   ? fmt::format("accelerator {} cannot be reached from {}", missing, root)
                                   : fmt::format("accelerator {} cannot reach {}", missing, root));
      }
      ChannelPath path;
      NodeId at = node;
      for (; !labels_[index(at)].is_source(); at = labels_[index(at)].from) {
        path.push_back(labels_[index(at)].over);
      }
      if (way == Way::kDown) std::ranges::reverse(path);
      add(path, 1);
      depth[index(node)] = depth[index(at)];
      for (const ChannelId id : path) depth[index(node)] += hop_[index(id)];
      make_source(node, kLevelPrice * depth[index(node)]);
      tree.parent[index(node)] = at;
      tree.path[index(node)] = std::move(path);
      tree.joined.push_back(node);
    }
    return tree;
  }

  void make_source(NodeId node, double key) {
    labels_[index(node)] = {key, -1, node};
    spread(node);
  }

  // Labels what `node` leads to for the first time, or more cheaply than what was known.
  void spread(NodeId node) {
    const double key = labels_[index(node)].key;
    for (const ChannelId id :
         way_ == Way::kDown ? topology_.out_channels(node) : topology_.in_channels(node)) {
      const NodeId next = way_ == Way::kDown ? topology_.channel(id).dst : topology_.channel(id).src;
      const double there = key + cost(id);
      if (there >= labels_[index(next)].key || labels_[index(next)].is_source()) continue;
      labels_[index(next)] = {there, id, node};
      heap_.emplace_back(there, next);
      std::ranges::push_heap(heap_, std::greater{});
    }
  }

  double cost(ChannelId id) const { return price(id) + kLevelPrice * hop_[index(id)]; }

  // What the way of a node's label costs now that its channels are used more; infinite if it passes `apart`.
  double key_now(NodeId node, NodeId apart) const {
    double sum = 0;
    while (!labels_[index(node)].is_source()) {
      if (node == apart || labels_[index(node)].from == kNoNode)
        return std::numeric_limits<double>::infinity();
      sum += cost(labels_[index(node)].over);
      node = labels_[index(node)].from;
    }
    return sum + labels_[index(node)].key;
  }

  // Labels a node anew by what its neighbours' ways cost now.
  void relabel(NodeId node) {
    Label best;
    for (const ChannelId id :
         way_ == Way::kDown ? topology_.in_channels(node) : topology_.out_channels(node)) {
      const NodeId before = way_ == Way::kDown ? topology_.channel(id).src : topology_.channel(id).dst;
      if (topology_.is_accelerator(before) && !labels_[index(before)].is_source()) continue;
      const double key = key_now(before, node) + cost(id);
      if (key < best.key) best = {key, id, before};
    }
    labels_[index(node)] = best;
    heap_.emplace_back(best.key, node);
    std::ranges::push_heap(heap_, std::greater{});
  }

  // The accelerator outside that costs least to join, by Dijkstra's search through switches, which goes on
  // where it ended; labels_ lead back. Prices have risen since they were made.
  NodeId nearest() {
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, std::greater{});
      const auto [key, node] = heap_.back();
      heap_.pop_back();
      if (labels_[index(node)].is_source() || key != labels_[index(node)].key) continue;
      if (key_now(node, kNoNode) > key * (1 + 1e-12)) {
        relabel(node);
      } else if (topology_.is_accelerator(node)) {
        return node;
      } else {
        spread(node);
      }
    }
    return kNoNode;
  }

  // Roots a tree whose edges go both ways where its farthest accelerator is nearest.
  void center(Branches& tree) const {
    std::vector<std::vector<NodeId>> near(tree.parent.size());
    for (std::size_t node = 0; node < tree.parent.size(); ++node) {
      if (tree.parent[node] == kNoNode) continue;
      near[node].push_back(tree.parent[node]);
      near[index(tree.parent[node])].push_back(static_cast<NodeId>(node));
    }
    Branches best = tree;
    double least = std::ranges::max(depths(tree));
    // From the middle of the longest way.
    const auto farthest = [&](NodeId from) {
      const std::vector<double> depth = depths(rooted_at(tree, near, from));
      return static_cast<NodeId>(std::ranges::max_element(depth) - depth.begin());
    };
    const NodeId end = farthest(farthest(tree.root));
    const Branches way = rooted_at(tree, near, end);
    for (NodeId node = farthest(end); node != kNoNode; node = way.parent[index(node)]) {
      Branches other = rooted_at(tree, near, node);
      const double height = std::ranges::max(depths(other));
      if (height >= least) continue;
      least = height;
      best = std::move(other);
    }
    tree = std::move(best);
  }

  Branches rooted_at(const Branches& tree, const std::vector<std::vector<NodeId>>& near, NodeId root) const {
    Branches result{
        root, {root}, std::vector<NodeId>(near.size(), kNoNode), std::vector<ChannelPath>(near.size())};
    for (std::size_t i = 0; i < result.joined.size(); ++i) {
      const NodeId node = result.joined[i];
      for (const NodeId next : near[index(node)]) {
        if (next == result.parent[index(node)]) continue;
        result.parent[index(next)] = node;
        result.path[index(next)] =
            tree.parent[index(next)] == node ? tree.path[index(next)] : back(tree.path[index(node)]);
        result.joined.push_back(next);
      }
    }
    return result;
  }

  ChannelPath back(const ChannelPath& path) const {
    ChannelPath reversed;
    for (auto id = path.rbegin(); id != path.rend(); ++id) reversed.push_back((*twins_)[index(*id)]);
    return reversed;
  }

  PackedTree to_hops(const std::vector<Branches>& tree) const {
    PackedTree packed{tree.front().root, {}};
    const Branches& ups = tree.front();
    const Branches& downs = tree.back();
    if (ways_.up) {
      for (auto node = ups.joined.rbegin(); node != ups.joined.rend(); ++node) {
        if (*node == ups.root) continue;
        const ChannelPath& path = ups.path[index(*node)];
        packed.hops.push_back({Op::kReduce, *node, ups.parent[index(*node)], twins_ ? back(path) : path});
      }
    }
    if (ways_.down) {
      for (const NodeId node : downs.joined) {
        if (node == downs.root) continue;
        packed.hops.push_back({Op::kGather, downs.parent[index(node)], node, downs.path[index(node)]});
      }
    }
    return packed;
  }

  const Topology& topology_;
  TreeWays ways_;
  std::optional<std::vector<ChannelId>> twins_;  // where both ways of an edge are each other's reverse
  std::vector<double> hop_;                      // [channel]: over the mean
  std::vector<double> rate_;                     // [channel]
  double sharpness_ = kFirstSharpness;
  double target_ = 1;
  Way way_ = Way::kDown;       // of the tree that grows
  std::vector<Label> labels_;  // [node]
  std::vector<std::pair<double, NodeId>> heap_;
  std::vector<double> load_;           // [channel]
  mutable std::vector<double> price_;  // [channel]; -1: not known
};

}  // namespace

RoutedPacking pack_routed(const Topology& topology, const CompileRequest& request,
                          std::span<const NodeId> roots, TreeWays ways, int rounds) {
  return RoutedPacker(topology, request, ways).pack(roots, rounds);
}

double congestion_ns(const Topology& topology, std::span<const PackedTree> trees) {
  std::vector<int> load(topology.channels().size(), 0);
  for (const PackedTree& tree : trees) {
    for (const TreeHop& hop : tree.hops) {
      for (const ChannelId id : hop.path) ++load[index(id)];
    }
  }
  double most = 0;
  for (std::size_t i = 0; i < load.size(); ++i) {
    most = std::max(most, load[i] / topology.channels()[i].bandwidth.gb_per_s());
  }
  return most;
}

}  // namespace coppice::schedule
