#include "schedule/packed_trees/tree_exchange.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "base/random.h"

namespace coppice::schedule {
namespace {

using topology::kNoNode;
using topology::NodeId;

// The cost of a node in a tree: a high power of its distance from the root. The deepest nodes therefore
// dominate, and among equally deep trees, those with fewer nodes at the maximum depth are better.
class Cost {
 public:
  explicit Cost(double scale) : scale_(scale) {}
  double operator()(double distance) const {
    const double x = distance * scale_;
    const double cube = x * x * x;
    return cube * cube * x * x;
  }

 private:
  double scale_;
};

struct MutableTree {
  NodeId root = kNoNode;
  std::vector<NodeId> parent;
  std::vector<int> link;  // link to the parent
  std::vector<std::vector<NodeId>> children;
  std::vector<double> distance;  // distance from the root

  bool is_below(NodeId node, NodeId above) const {
    for (; node != kNoNode; node = parent[index(node)]) {
      if (node == above) return true;
    }
    return false;
  }
};

class Flattening {
 public:
  Flattening(std::span<const SymmetricLink> links, std::span<const double> hop_ns, std::vector<int>& left,
             std::vector<RootedTree>& trees, std::uint64_t seed)
      : links_(links), hop_ns_(hop_ns), left_(left), random_(seed, 0), cost_(scale(hop_ns)) {
    holds_.resize(links.size(), std::vector<std::uint8_t>(trees.size(), 0));
    incident_.resize(trees.front().parent.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
      incident_[index(links[i].a)].push_back(static_cast<int>(i));
      incident_[index(links[i].b)].push_back(static_cast<int>(i));
    }
    for (std::size_t t = 0; t < trees.size(); ++t) {
      trees_.push_back(to_mutable(trees[t]));
      for (const int link : trees[t].link) {
        if (link >= 0) holds_[index(link)][t] = 1;
      }
    }
  }

  void run(std::int64_t effort) {
    double total = 0;
    for (const MutableTree& tree : trees_) {
      for (const double distance : tree.distance) total += cost_(distance);
    }
    const double hot = 0.3 * total / static_cast<double>(trees_.size() * incident_.size());
    for (std::int64_t i = 0; i < effort; ++i) {
      const double left = 1 - static_cast<double>(i) / static_cast<double>(effort);
      temperature_ = hot * left * left * left;
      try_exchange();
    }
  }

  void store(std::vector<RootedTree>& trees) const {
    for (std::size_t t = 0; t < trees.size(); ++t) {
      trees[t] = {trees_[t].root, trees_[t].parent, trees_[t].link};
    }
  }

 private:
  static double scale(std::span<const double> hop_ns) {
    double sum = 0;
    for (const double ns : hop_ns) sum += ns;
    return sum > 0 ? static_cast<double>(hop_ns.size()) / sum : 1;
  }

  MutableTree to_mutable(const RootedTree& tree) const {
    MutableTree result{tree.root, tree.parent, tree.link, {}, {}};
    result.children.resize(tree.parent.size());
    result.distance.resize(tree.parent.size(), 0);
    for (std::size_t node = 0; node < tree.parent.size(); ++node) {
      if (tree.parent[node] != kNoNode)
        result.children[index(tree.parent[node])].push_back(static_cast<NodeId>(node));
    }
    set_distances(result, tree.root);
    return result;
  }

  void set_distances(MutableTree& tree, NodeId top) const {
    stack_.assign(1, top);
    while (!stack_.empty()) {
      const NodeId node = stack_.back();
      stack_.pop_back();
      const NodeId parent = tree.parent[index(node)];
      tree.distance[index(node)] =
          parent == kNoNode ? 0 : tree.distance[index(parent)] + hop_ns_[index(tree.link[index(node)])];
      for (const NodeId child : tree.children[index(node)]) stack_.push_back(child);
    }
  }

  // The change in the cost of the subtree of `top` if `top` were `shift` farther from the root.
  double shifted(const MutableTree& tree, NodeId top, double shift) const {
    double difference = 0;
    stack_.assign(1, top);
    while (!stack_.empty()) {
      const NodeId node = stack_.back();
      stack_.pop_back();
      const double distance = tree.distance[index(node)];
      difference += cost_(distance + shift) - cost_(distance);
      for (const NodeId child : tree.children[index(node)]) stack_.push_back(child);
    }
    return difference;
  }

  // The change in the cost of the subtree of `top` if its node `inner` became its root, at distance `at`.
  double rehung(const MutableTree& tree, NodeId top, NodeId inner, double at) const {
    double difference = 0;
    NodeId came_from = kNoNode;
    for (NodeId node = inner;; node = tree.parent[index(node)]) {
      const double shift = at - tree.distance[index(node)];
      difference += cost_(at) - cost_(tree.distance[index(node)]);
      for (const NodeId child : tree.children[index(node)]) {
        if (child != came_from) difference += shifted(tree, child, shift);
      }
      if (node == top) break;
      at += hop_ns_[index(tree.link[index(node)])];
      came_from = node;
    }
    return difference;
  }

  void hang(MutableTree& tree, NodeId node, NodeId parent, int link) {
    std::erase(tree.children[index(tree.parent[index(node)])], node);
    tree.children[index(parent)].push_back(node);
    tree.parent[index(node)] = parent;
    tree.link[index(node)] = link;
  }

  // Makes `inner` the root of the subtree of `top` and attaches it to `parent`.
  void rehang(MutableTree& tree, NodeId top, NodeId inner, NodeId parent, int link) {
    NodeId node = inner;
    NodeId to = parent;
    while (true) {
      const NodeId next = tree.parent[index(node)];
      const int next_link = tree.link[index(node)];
      hang(tree, node, to, link);
      if (node == top) break;
      to = node;
      link = next_link;
      node = next;
    }
    set_distances(tree, inner);
  }

  bool accept(double difference) {
    if (difference <= 0) return true;
    return temperature_ > 0 && random_.uniform() < std::exp(-difference / temperature_);
  }

  // Attaches a node of one tree over another link. Unless a copy of that link is unused, another tree gives
  // the link up and takes the node's previous link instead.
  void try_exchange() {
    const auto a = static_cast<std::size_t>(random_.below(trees_.size()));
    MutableTree& taker = trees_[a];
    const auto node = static_cast<NodeId>(random_.below(incident_.size()));
    if (node == taker.root || incident_[index(node)].size() < 2) return;
    const int given = taker.link[index(node)];
    const int taken = incident_[index(node)][random_.below(incident_[index(node)].size())];
    if (holds_[index(taken)][a] != 0) return;
    const NodeId above = links_[index(taken)].other_end(node);
    const double shift = taker.distance[index(above)] + hop_ns_[index(taken)] - taker.distance[index(node)];
    if (taker.is_below(above, node)) return;
    const double difference = shifted(taker, node, shift);
    if (left_[index(taken)] > 0) {
      if (!accept(difference)) return;
      --left_[index(taken)];
      ++left_[index(given)];
      holds_[index(taken)][a] = 0;
    } else if (!take_from_another(a, node, given, taken, difference)) {
      return;
    }
    holds_[index(given)][a] = 0;
    holds_[index(taken)][a] = 1;
    hang(taker, node, above, taken);
    set_distances(taker, node);
  }

  bool take_from_another(std::size_t a, NodeId node, int given, int taken, double difference) {
    const auto b = static_cast<std::size_t>(random_.below(trees_.size()));
    if (b == a || holds_[index(taken)][b] == 0 || holds_[index(given)][b] != 0) return false;
    MutableTree& giver = trees_[b];
    const SymmetricLink& link = links_[index(taken)];
    const NodeId top = giver.link[index(link.a)] == taken ? link.a : link.b;
    const NodeId ends[2] = {node, links_[index(given)].other_end(node)};
    const bool below[2] = {giver.is_below(ends[0], top), giver.is_below(ends[1], top)};
    if (below[0] == below[1]) return false;
    const NodeId inner = below[0] ? ends[0] : ends[1];
    const NodeId outer = below[0] ? ends[1] : ends[0];
    const double at = giver.distance[index(outer)] + hop_ns_[index(given)];
    if (!accept(difference + rehung(giver, top, inner, at))) return false;
    rehang(giver, top, inner, outer, given);
    holds_[index(taken)][b] = 0;
    holds_[index(given)][b] = 1;
    return true;
  }

  std::span<const SymmetricLink> links_;
  std::span<const double> hop_ns_;
  std::vector<int>& left_;
  Random random_;
  Cost cost_;
  double temperature_ = 0;
  std::vector<MutableTree> trees_;
  std::vector<std::vector<std::uint8_t>> holds_;  // [link][tree]: whether the tree uses the link
  std::vector<std::vector<int>> incident_;        // [node]: incident links
  mutable std::vector<NodeId> stack_;
};

}  // namespace

void flatten_trees(std::span<const SymmetricLink> links, std::span<const double> hop_ns,
                   std::vector<int>& left, std::int64_t effort, std::uint64_t seed,
                   std::vector<RootedTree>& trees) {
  if (trees.empty() || trees.front().parent.size() < 3) return;
  Flattening flattening(links, hop_ns, left, trees, seed);
  flattening.run(effort);
  flattening.store(trees);
}

}  // namespace coppice::schedule
