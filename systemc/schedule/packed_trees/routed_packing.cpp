#include "schedule/packed_trees/routed_packing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/index.h"
#include "base/random.h"
#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::kNoNode;
using topology::NodeId;
using topology::Topology;

constexpr double kFirstSharpness = 6;
constexpr double kSharpening = 1.35;  // factor by which the sharpness grows per round
constexpr double kMostSharpness = 60;
// Limits the exponents of prices so that sums of prices remain finite; infinite sums could not be compared.
constexpr double kSteepest = 600;
// price of a hop of average latency, relative to that of a fully used channel
constexpr double kLevelPrice = 0.02;

// A tree for one direction: every accelerator's parent, and the path between the accelerator and its parent
// in the direction of messages.
struct Branches {
  NodeId root = kNoNode;
  std::vector<NodeId> joined;  // parents before their children, the root first
  std::vector<NodeId> parent;
  std::vector<ChannelPath> path;
};

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

// The only pace if the network has no switches, in which case all paths are single channels. Otherwise paces
// are bandwidths in GB/s.
constexpr double kAnyPace = 0;

// The possible paces of messages, that is, bandwidths of the slowest channel on a path.
std::vector<double> paces_of(const Topology& topology) {
  std::vector<double> paces;
  for (const topology::Channel& channel : topology.channels()) paces.push_back(channel.bandwidth.gb_per_s());
  std::ranges::sort(paces);
  paces.erase(std::unique(paces.begin(), paces.end()), paces.end());
  if (topology.num_switches() == 0) return {kAnyPace};
  return paces;
}

enum class Way : std::uint8_t { kUp, kDown };

class RoutedPacker {
 public:
  RoutedPacker(const Topology& topology, const CompileRequest& request, TreeDirections ways)
      : topology_(topology),
        ways_(ways),
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
    paces_ = paces_of(topology);
    labels_.resize(index(topology.num_nodes()) * paces_.size());
    const double mean = sum > 0 ? sum / static_cast<double>(hop_.size()) : 1;
    for (double& hop : hop_) hop /= mean;
  }

  RoutedPacking pack(std::span<const NodeId> roots, int rounds) {
    // Every message leaves an accelerator, so the total bandwidth out of accelerators limits the congestion.
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
  // The path by which the growing tree reaches a node.
  struct Label {
    double key = std::numeric_limits<double>::infinity();
    ChannelId over = -1;
    NodeId from = kNoNode;  // previous node; for an accelerator in the tree, itself (`over` is then -1)

    bool is_source() const { return over < 0 && from != kNoNode; }
  };

  double congestion() const {
    double most = 0;
    for (std::size_t i = 0; i < load_.size(); ++i) most = std::max(most, load_[i] / rate_[i]);
    return most;
  }
  double price_at(std::size_t channel, double load) const {
    return std::exp(std::min(sharpness_ * (load / (rate_[channel] * target_) - 1), kSteepest));
  }
  // The price of one more use of a channel, cached until its load or the parameters of prices change.
  double own_price(ChannelId id) const {
    double& known = price_[index(id)];
    if (known < 0) known = price_at(index(id), load_[index(id)] + 1);
    return known;
  }
  double price(ChannelId id, double pace) const {
    const double there = uses(id, pace) * own_price(id);
    if (!twins_) return there;
    const ChannelId twin = (*twins_)[index(id)];
    return there + uses(twin, pace) * own_price(twin);
  }
  void change_load(ChannelId id, double amount) {
    load_[index(id)] += amount;
    price_[index(id)] = -1;
  }
  // How many uses of channel `id` a message at `pace` counts as. If a message is slower than the channel over
  // which it leaves an accelerator, it keeps this channel busy for longer and counts as more than one use. In
  // all other cases, it counts as one use.
  double uses(ChannelId id, double pace) const {
    const bool leaves = pace > kAnyPace && topology_.is_accelerator(topology_.channel(id).src);
    return leaves ? rate_[index(id)] / pace : 1;
  }
  void add(const ChannelPath& path, double amount) {
    double pace = std::numeric_limits<double>::infinity();
    for (const ChannelId id : path) pace = std::min(pace, rate_[index(id)]);
    for (const ChannelId id : path) {
      change_load(id, amount * uses(id, pace));
      if (!twins_) continue;
      const ChannelId twin = (*twins_)[index(id)];
      change_load(twin, amount * uses(twin, pace));
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

  // Removes the tree and grows it again; returns whether the new tree is better and was kept.
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

  // Grows a tree from `root` by always adding the accelerator that is cheapest to connect, and adds the
  // tree's use of channels to the loads.
  Branches grow(NodeId root, Way way) {
    const std::size_t n = index(topology_.num_accelerators());
    Branches tree{root, {root}, std::vector<NodeId>(n, kNoNode), std::vector<ChannelPath>(n)};
    std::vector<double> depth(n, 0);
    way_ = way;
    std::ranges::fill(labels_, Label{});
    heap_.clear();
    make_source(root, 0);
    while (tree.joined.size() < n) {
      const std::size_t place = nearest();
      if (place == kNowhere) {
        const auto missing =
            std::ranges::find_if(labels_, [](const Label& label) { return !label.is_source(); }) -
            labels_.begin();
        throw UnsupportedError(
            way == Way::kDown
                ? fmt::format("accelerator {} cannot be reached from accelerator {}", missing, root)
                : fmt::format("accelerator {} cannot reach accelerator {}", missing, root));
      }
      const NodeId node = node_at(place);
      ChannelPath path;
      NodeId at = node;
      for (std::size_t p = place; !labels_[p].is_source(); p = place_of(at, pace_at(place))) {
        path.push_back(labels_[p].over);
        at = labels_[p].from;
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

  // The index of a node's search state at a pace. Each pace has its own layer of the search, which contains
  // only channels that are at least as fast.
  std::size_t place_of(NodeId node, std::size_t pace) const {
    return pace * index(topology_.num_nodes()) + index(node);
  }
  NodeId node_at(std::size_t place) const {
    return static_cast<NodeId>(place % index(topology_.num_nodes()));
  }
  std::size_t pace_at(std::size_t place) const { return place / index(topology_.num_nodes()); }

  void make_source(NodeId node, double key) {
    for (std::size_t pace = 0; pace < paces_.size(); ++pace) {
      labels_[place_of(node, pace)] = {key, -1, node};
      spread(place_of(node, pace));
    }
  }

  // Labels the neighbours of a search state (`place`) that have no label yet or can be reached at a lower
  // price.
  void spread(std::size_t place) {
    const double key = labels_[place].key;
    const NodeId node = node_at(place);
    const std::size_t pace = pace_at(place);
    for (const ChannelId id :
         way_ == Way::kDown ? topology_.out_channels(node) : topology_.in_channels(node)) {
      if (rate_[index(id)] < paces_[pace]) continue;
      const std::size_t next =
          place_of(way_ == Way::kDown ? topology_.channel(id).dst : topology_.channel(id).src, pace);
      const double there = key + cost(id, pace);
      if (there >= labels_[next].key || labels_[next].is_source() || is_on_path(next, place)) continue;
      labels_[next] = {there, id, node};
      heap_.emplace_back(there, next);
      std::ranges::push_heap(heap_, std::greater{});
    }
  }

  // Whether the labelled path of `place` traverses `other`. This can happen even if `place` has the lower
  // key, because `other` may have been relabelled since, and costs may be as small as the rounding errors of
  // keys.
  bool is_on_path(std::size_t other, std::size_t place) const {
    if (labels_[other].from == kNoNode) return false;
    const std::size_t pace = pace_at(place);
    while (place != other && labels_[place].over >= 0) place = place_of(labels_[place].from, pace);
    return place == other;
  }

  double cost(ChannelId id, std::size_t pace) const {
    return price(id, paces_[pace]) + kLevelPrice * hop_[index(id)];
  }

  // The current price of the labelled path of `place`, which may have risen since it was labelled; infinite
  // if the path traverses `apart`.
  double key_now(std::size_t place, std::size_t apart) const {
    const std::size_t pace = pace_at(place);
    double sum = 0;
    while (!labels_[place].is_source()) {
      if (place == apart || labels_[place].from == kNoNode) return std::numeric_limits<double>::infinity();
      sum += cost(labels_[place].over, pace);
      place = place_of(labels_[place].from, pace);
    }
    return sum + labels_[place].key;
  }

  // Labels `place` again, based on the current prices of its neighbours' paths.
  void relabel(std::size_t place) {
    const NodeId node = node_at(place);
    const std::size_t pace = pace_at(place);
    Label best;
    for (const ChannelId id :
         way_ == Way::kDown ? topology_.in_channels(node) : topology_.out_channels(node)) {
      if (rate_[index(id)] < paces_[pace]) continue;
      const NodeId before = way_ == Way::kDown ? topology_.channel(id).src : topology_.channel(id).dst;
      if (topology_.is_accelerator(before) && !labels_[place_of(before, pace)].is_source()) continue;
      const double key = key_now(place_of(before, pace), place) + cost(id, pace);
      if (key < best.key) best = {key, id, before};
    }
    labels_[place] = best;
    heap_.emplace_back(best.key, place);
    std::ranges::push_heap(heap_, std::greater{});
  }

  // Returns the accelerator that is cheapest to connect next. Continues a Dijkstra search through switches,
  // in which labels lead back to the tree. Labels may be outdated because prices have risen since; they are
  // then renewed.
  std::size_t nearest() {
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, std::greater{});
      const auto [key, place] = heap_.back();
      heap_.pop_back();
      if (labels_[place].is_source() || key != labels_[place].key) continue;
      if (key_now(place, kNowhere) > key * (1 + 1e-12)) {
        relabel(place);
      } else if (topology_.is_accelerator(node_at(place))) {
        return place;
      } else {
        spread(place);
      }
    }
    return kNowhere;
  }

  // Moves the root of a bidirectional tree to the accelerator that minimizes the tree's depth.
  void center(Branches& tree) const {
    std::vector<std::vector<NodeId>> near(tree.parent.size());
    for (std::size_t node = 0; node < tree.parent.size(); ++node) {
      if (tree.parent[node] == kNoNode) continue;
      near[node].push_back(tree.parent[node]);
      near[index(tree.parent[node])].push_back(static_cast<NodeId>(node));
    }
    Branches best = tree;
    double least = std::ranges::max(depths(tree));
    // The best root is near the middle of the longest path.
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
  TreeDirections ways_;
  std::optional<std::vector<ChannelId>> twins_;  // set if values retrace the paths of sums
  std::vector<double> hop_;                      // [channel]: latency of a hop, relative to the mean
  std::vector<double> rate_;                     // [channel]: bandwidth in GB/s
  double sharpness_ = kFirstSharpness;
  double target_ = 1;
  Way way_ = Way::kDown;  // direction of the tree that is being grown
  std::vector<double> paces_;
  std::vector<Label> labels_;  // [pace * nodes + node]
  std::vector<std::pair<double, std::size_t>> heap_;
  std::vector<double> load_;           // [channel]: number of uses
  mutable std::vector<double> price_;  // [channel]: own_price(); -1: not known
};

}  // namespace

RoutedPacking pack_routed(const Topology& topology, const CompileRequest& request,
                          std::span<const NodeId> roots, TreeDirections ways, int rounds) {
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
