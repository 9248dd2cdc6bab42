#include "schedule/pipelined_trees/disjoint_trees.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/random.h"
#include "schedule/compile/link_pool.h"

namespace coppice::schedule {
namespace {

using topology::kNoNode;
using topology::Topology;

struct Link {
  NodeId a = kNoNode;
  NodeId b = kNoNode;
  int tree = -1;  // tree to which the link belongs; -1 if there is none
};

std::vector<Link> links_of(const Topology& topology) {
  NeighbourLinks neighbours(topology);
  std::vector<Link> links;
  for (NodeId a = 0; a < neighbours.accelerators(); ++a) {
    for (const NodeId b : neighbours.neighbours(a)) {
      for (; a < b && neighbours.free(a, b); neighbours.take(a, b)) links.push_back({a, b});
    }
  }
  return links;
}

// The links of the network. Each link is assigned to at most one tree, and the links of a tree never form a
// cycle.
class Forests {
 public:
  Forests(int nodes, int trees, std::vector<Link> links)
      : nodes_(nodes), links_(std::move(links)), incident_(static_cast<std::size_t>(trees)) {
    for (auto& tree : incident_) tree.resize(static_cast<std::size_t>(nodes));
  }

  const std::vector<Link>& links() const { return links_; }
  int trees() const { return static_cast<int>(incident_.size()); }
  const std::vector<int>& incident(int tree, NodeId node) const {
    return incident_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(node)];
  }
  NodeId other_end(int link, NodeId end) const { return at(link).a == end ? at(link).b : at(link).a; }
  int tree_of(int link) const { return at(link).tree; }

  // Moves a link to `tree`, or out of its tree if `tree` is -1.
  void move(int link, int tree) {
    Link& moved = links_[static_cast<std::size_t>(link)];
    for (const NodeId end : {moved.a, moved.b}) {
      if (moved.tree >= 0) std::erase(slot(moved.tree, end), link);
      if (tree >= 0) slot(tree, end).push_back(link);
    }
    moved.tree = tree;
  }

  // Returns the links of `tree` on the path between the ends of `link`; nullopt if the tree does not connect
  // the two ends.
  std::optional<std::vector<int>> path(int tree, int link) const {
    const std::vector<int> into = reach(tree, at(link).a).into;
    if (into[static_cast<std::size_t>(at(link).b)] < 0) return std::nullopt;
    std::vector<int> found;
    for (NodeId node = at(link).b; node != at(link).a; node = other_end(found.back(), node)) {
      found.push_back(into[static_cast<std::size_t>(node)]);
    }
    return found;
  }

  // The accelerators that a tree connects to `root`, in order of distance, and the link by which each
  // accelerator is reached; -1 for the root and for accelerators that are not reached.
  struct Reached {
    std::vector<NodeId> order;
    std::vector<int> into;   // [accelerator]
    std::vector<int> depth;  // [accelerator]
  };
  Reached reach(int tree, NodeId root) const {
    const auto n = static_cast<std::size_t>(nodes_);
    Reached reached{{root}, std::vector<int>(n, -1), std::vector<int>(n, 0)};
    for (std::size_t i = 0; i < reached.order.size(); ++i) {
      const NodeId node = reached.order[i];
      for (const int link : incident(tree, node)) {
        if (link == reached.into[static_cast<std::size_t>(node)]) continue;
        const NodeId next = other_end(link, node);
        reached.into[static_cast<std::size_t>(next)] = link;
        reached.depth[static_cast<std::size_t>(next)] = reached.depth[static_cast<std::size_t>(node)] + 1;
        reached.order.push_back(next);
      }
    }
    return reached;
  }

 private:
  const Link& at(int link) const { return links_[static_cast<std::size_t>(link)]; }
  std::vector<int>& slot(int tree, NodeId node) {
    return incident_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(node)];
  }

  int nodes_;
  std::vector<Link> links_;
  // [tree][accelerator]: links of the tree at the accelerator.
  std::vector<std::vector<std::vector<int>>> incident_;
};

// Adds `link` to a tree. If it closes a cycle in every tree, makes room by moving as few links as possible
// from tree to tree. Returns whether the link was added.
bool augment(Forests& forests, int link) {
  // [link]: the link that would replace it in its tree.
  std::vector<int> before(forests.links().size(), -1);
  std::vector<std::uint8_t> seen(forests.links().size(), 0);
  std::deque<int> waiting{link};
  seen[static_cast<std::size_t>(link)] = 1;
  while (!waiting.empty()) {
    const int next = waiting.front();
    waiting.pop_front();
    for (int tree = 0; tree < forests.trees(); ++tree) {
      if (tree == forests.tree_of(next)) continue;
      const auto path = forests.path(tree, next);
      if (!path) {
        int free = tree;
        for (int moved = next; moved >= 0; moved = before[static_cast<std::size_t>(moved)]) {
          const int left = forests.tree_of(moved);
          forests.move(moved, free);
          free = left;
        }
        return true;
      }
      for (const int on_way : *path) {
        if (seen[static_cast<std::size_t>(on_way)]++ != 0) continue;
        before[static_cast<std::size_t>(on_way)] = next;
        waiting.push_back(on_way);
      }
    }
  }
  return false;
}

NodeId farthest(const Forests& forests, int tree, NodeId from) {
  return forests.reach(tree, from).order.back();
}

// Returns the accelerator in the middle of the longest path of a tree.
NodeId center(const Forests& forests, int tree) {
  const NodeId end = farthest(forests, tree, 0);
  const Forests::Reached reached = forests.reach(tree, end);
  NodeId node = reached.order.back();
  for (int up = reached.depth[static_cast<std::size_t>(node)] / 2; up > 0; --up) {
    node = forests.other_end(reached.into[static_cast<std::size_t>(node)], node);
  }
  return node;
}

// Returns the height of a tree, measured from its center, as one number that compares first by depth and then
// by mean depth.
std::int64_t height(const Forests& forests, int tree) {
  const Forests::Reached reached = forests.reach(tree, center(forests, tree));
  const auto n = static_cast<std::int64_t>(reached.order.size());
  std::int64_t sum = 0;
  for (const int depth : reached.depth) sum += depth;
  return reached.depth[static_cast<std::size_t>(reached.order.back())] * n * n + sum;
}

std::int64_t height(const Forests& forests) {
  std::int64_t sum = 0;
  for (int tree = 0; tree < forests.trees(); ++tree) sum += height(forests, tree);
  return sum;
}

// Lets trees exchange links or use links that belong to no tree, as long as the total height of the trees
// does not increase.
void flatten(Forests& forests, int nodes) {
  constexpr std::int64_t kEffort = 2'000'000;
  constexpr std::int64_t kTriesPerLink = 60;
  Random random(1, 0);
  std::int64_t lowest = height(forests);
  const auto all = static_cast<std::int64_t>(forests.links().size()) * kTriesPerLink;
  for (std::int64_t tries = std::min(kEffort / nodes, all); tries > 0; --tries) {
    const int link = static_cast<int>(random.below(forests.links().size()));
    const int from = forests.tree_of(link);
    const int into = static_cast<int>(random.below(static_cast<std::uint64_t>(forests.trees())));
    if (into == from) continue;
    const std::vector<int> path = *forests.path(into, link);
    const int other = path[random.below(path.size())];
    forests.move(other, -1);
    forests.move(link, into);
    // Link `other` must reconnect the tree from which `link` was removed.
    const bool whole = from < 0 || !forests.path(from, other);
    if (whole) forests.move(other, from);
    const std::int64_t now = whole ? height(forests) : lowest + 1;
    if (now <= lowest) {
      lowest = now;
      continue;
    }
    forests.move(other, -1);
    forests.move(link, from);
    forests.move(other, into);
  }
}

PlacedTree rooted(const Forests& forests, int tree) {
  PlacedTree placed{center(forests, tree), {}};
  const Forests::Reached reached = forests.reach(tree, placed.root);
  for (const NodeId node : reached.order) {
    if (node == placed.root) continue;
    placed.edges.push_back(
        {node, forests.other_end(reached.into[static_cast<std::size_t>(node)], node), kNoNode});
  }
  return placed;
}

}  // namespace

std::vector<PlacedTree> disjoint_trees(const Topology& topology, int count) {
  const int n = topology.num_accelerators();
  Forests forests(n, count, links_of(topology));
  int wanted = count * (n - 1);
  for (int link = 0; link < static_cast<int>(forests.links().size()) && wanted > 0; ++link) {
    if (augment(forests, link)) --wanted;
  }
  if (wanted > 0) return {};
  if (n > 1) flatten(forests, n);
  std::vector<PlacedTree> trees;
  for (int tree = 0; tree < count; ++tree) trees.push_back(rooted(forests, tree));
  return trees;
}

}  // namespace coppice::schedule
