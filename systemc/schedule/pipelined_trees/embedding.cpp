#include "schedule/pipelined_trees/embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "schedule/compile/link_pool.h"
#include "schedule/pipelined_trees/disjoint_trees.h"

namespace coppice::schedule {
namespace {

using topology::kNoNode;
using topology::Topology;

using Visit = std::function<bool(const std::vector<PlacedTree>&)>;

// The state of a depth-first search that allocates links to edges and releases them.
class Placement {
 public:
  explicit Placement(const Topology& topology, int detours) : links_(topology), detours_left_(detours) {}

  // Calls `then` for every possible embedding of an edge while the links of that embedding are allocated.
  template <typename Then>
  void each_way(NodeId child, NodeId parent, const Then& then) {
    if (links_.free(child, parent)) {
      links_.take(child, parent);
      then(PlacedEdge{child, parent, kNoNode});
      links_.release(child, parent);
    }
    if (detours_left_ == 0) return;
    --detours_left_;
    for (const NodeId via : links_.neighbours(child)) {
      if (via == parent || !links_.free(child, via) || !links_.free(via, parent)) continue;
      links_.take(child, via);
      links_.take(via, parent);
      then(PlacedEdge{child, parent, via});
      links_.release(via, parent);
      links_.release(child, via);
    }
    ++detours_left_;
  }

  const NeighbourLinks& links() const { return links_; }

 private:
  NeighbourLinks links_;
  int detours_left_;
};

// Grows one tree after another, each breadth first. The children of an accelerator are chosen in ascending
// order of their positions in `order`, so that every tree is found once.
class TreeSearch {
 public:
  TreeSearch(const Topology& topology, const EmbeddingRequest& request, std::int64_t effort,
             std::vector<NodeId> order, const Visit& visit)
      : request_(request),
        effort_(effort),
        order_(std::move(order)),
        visit_(visit),
        placement_(topology, request.detours) {
    // [height]: the maximum number of accelerators below an accelerator at this height.
    below_.resize(static_cast<std::size_t>(request.depth) + 1, 0);
    for (std::size_t height = 1; height < below_.size(); ++height) {
      below_[height] = std::min<std::int64_t>(request.fan_in * (1 + below_[height - 1]),
                                              static_cast<std::int64_t>(order_.size()));
    }
  }

  // Runs the search. Returns false if it gave up, and true if it was complete or `visit` stopped it.
  bool run() {
    next_tree();
    return !exhausted_;
  }

 private:
  struct Member {
    NodeId node = kNoNode;
    int depth = 0;
  };
  struct Growth {
    std::vector<Member> members;         // in the order in which they joined
    std::vector<std::uint8_t> attached;  // [accelerator]
    std::size_t missing = 0;
  };

  bool stop() const { return stopped_ || exhausted_; }

  void next_tree() {
    if (static_cast<int>(trees_.size()) == request_.trees) {
      stopped_ = !visit_(trees_);
      return;
    }
    for (const NodeId root : order_) {
      if (stop()) return;
      trees_.push_back({root, {}});
      Growth growth{{{root, 0}}, std::vector<std::uint8_t>(order_.size(), 0), order_.size() - 1};
      growth.attached[static_cast<std::size_t>(root)] = 1;
      extend(growth, 0, 0, 0);
      trees_.pop_back();
    }
  }

  // Whether the members from index `at` on can have enough descendants for all missing accelerators.
  bool has_room(const Growth& growth, std::size_t at, int children) const {
    std::int64_t room = 0;
    for (std::size_t i = at; i < growth.members.size(); ++i) {
      const int height = request_.depth - growth.members[i].depth;
      if (height == 0) continue;
      const int slots = request_.fan_in - (i == at ? children : 0);
      room += slots * (1 + below_[static_cast<std::size_t>(height) - 1]);
      if (room >= static_cast<std::int64_t>(growth.missing)) return true;
    }
    return growth.missing == 0;
  }

  // Extends the tree. Member `at` has `children` children so far, and further children must come from
  // positions `rank` and higher of `order_`.
  void extend(Growth& growth, std::size_t at, std::size_t rank, int children) {
    if (growth.missing == 0) return next_tree();
    if (++steps_ > effort_) exhausted_ = true;
    if (stop() || !has_room(growth, at, children)) return;
    const Member parent = growth.members[at];
    if (children < request_.fan_in && parent.depth < request_.depth) {
      for (std::size_t r = rank; r < order_.size() && !stop(); ++r) {
        if (growth.attached[static_cast<std::size_t>(order_[r])] != 0) continue;
        placement_.each_way(order_[r], parent.node, [&](const PlacedEdge& edge) {
          if (!stop()) attach(growth, edge, at, r, children);
        });
      }
    }
    if (at + 1 < growth.members.size()) extend(growth, at + 1, 0, 0);
  }

  void attach(Growth& growth, const PlacedEdge& edge, std::size_t at, std::size_t rank, int children) {
    auto& attached = growth.attached[static_cast<std::size_t>(edge.child)];
    attached = 1;
    --growth.missing;
    growth.members.push_back({edge.child, growth.members[at].depth + 1});
    const std::size_t tree = trees_.size() - 1;
    trees_[tree].edges.push_back(edge);
    extend(growth, at, rank + 1, children + 1);
    trees_[tree].edges.pop_back();
    growth.members.pop_back();
    ++growth.missing;
    attached = 0;
  }

  EmbeddingRequest request_;
  std::int64_t effort_;
  std::vector<NodeId> order_;
  const Visit& visit_;
  Placement placement_;
  std::vector<std::int64_t> below_;  // [height]
  std::vector<PlacedTree> trees_;
  std::int64_t steps_ = 0;
  bool stopped_ = false;
  bool exhausted_ = false;
};

std::vector<NodeId> ascending(int accelerators) {
  std::vector<NodeId> order(static_cast<std::size_t>(accelerators));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Tries several orders of the accelerators, because a search in one order may get stuck where a search in
// another order does not.
std::vector<PlacedTree> find_embedding(const Topology& topology, const EmbeddingRequest& request) {
  constexpr std::int64_t kEffort = 20'000;
  const int attempts = topology.num_accelerators() <= 16 ? 8 : 2;
  std::vector<NodeId> order = ascending(topology.num_accelerators());
  std::vector<PlacedTree> found;
  const Visit keep = [&](const std::vector<PlacedTree>& trees) {
    found = trees;
    return false;
  };
  Random random(1, 0);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (TreeSearch(topology, request, kEffort, order, keep).run()) break;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  return found;
}

// Searches for placements of the given edges, one edge after another.
class EdgeSearch {
 public:
  EdgeSearch(const Topology& topology, std::vector<PlacedTree> trees, int detours, const Visit& visit)
      : trees_(std::move(trees)), visit_(visit), placement_(topology, detours) {}

  bool run() {
    place(0, 0);
    return found_;
  }

 private:
  void place(std::size_t tree, std::size_t edge) {
    if (stopped_) return;
    if (tree == trees_.size()) {
      found_ = true;
      stopped_ = !visit_(trees_);
      return;
    }
    if (edge == trees_[tree].edges.size()) return place(tree + 1, 0);
    PlacedEdge& placed = trees_[tree].edges[edge];
    placement_.each_way(placed.child, placed.parent, [&](const PlacedEdge& way) {
      if (stopped_) return;
      placed = way;
      place(tree, edge + 1);
    });
  }

  std::vector<PlacedTree> trees_;
  const Visit& visit_;
  Placement placement_;
  bool found_ = false;
  bool stopped_ = false;
};

PlacedTree unplaced(const LogicalTree& tree) {
  PlacedTree placed;
  for (const TreeLink& link : routed_tree(tree).links) placed.edges.push_back({link.child, link.parent});
  placed.root = routed_tree(tree).root;
  return placed;
}

}  // namespace

bool for_each_embedding(const Topology& topology, const EmbeddingRequest& request, std::int64_t effort,
                        const Visit& visit) {
  return TreeSearch(topology, request, effort, ascending(topology.num_accelerators()), visit).run();
}

std::vector<PlacedTree> embed_trees(const Topology& topology, int trees) {
  const int n = topology.num_accelerators();
  const NeighbourLinks links(topology);
  int most_links = 0;
  int total = 0;
  for (NodeId node = 0; node < n; ++node) {
    most_links = std::max(most_links, links.degree(node));
    total += links.degree(node);
  }
  const auto refuse = [&](const std::string& why) {
    throw UnsupportedError(
        fmt::format("{}: cannot place {} without sharing a channel: {}; write collective.trees: routed to "
                    "let messages share channels{}",
                    topology.name(), trees == 1 ? "a tree" : fmt::format("{} trees", trees), why,
                    trees == 1 ? "" : ", or use one tree, which needs half as many links"));
  };
  if (total / 2 < trees * (n - 1)) {
    refuse(fmt::format("{} links are needed, but there are {}", trees * (n - 1), total / 2));
  }
  for (const int fan_in : {2, std::max(most_links, 1)}) {
    for (int depth = 1; depth < std::max(n, 2); depth = depth < 16 ? depth + 1 : depth * 5 / 4) {
      auto found = find_embedding(topology, {.trees = trees, .depth = depth, .fan_in = fan_in, .detours = 0});
      if (!found.empty()) return found;
    }
  }
  auto found = disjoint_trees(topology, trees);
  if (found.empty()) refuse("no depth makes it possible");
  return found;
}

int for_each_placement(const Topology& topology, std::span<const LogicalTree> trees, const Visit& visit) {
  std::vector<PlacedTree> wanted;
  int edges = 0;
  for (const LogicalTree& tree : trees) {
    if (static_cast<int>(tree.size()) != topology.num_accelerators()) {
      throw UnsupportedError(fmt::format("the trees have {} accelerators, but {} has {}", tree.size(),
                                         topology.name(), topology.num_accelerators()));
    }
    wanted.push_back(unplaced(tree));
    edges += static_cast<int>(wanted.back().edges.size());
  }
  for (int detours = 0; detours <= edges; ++detours) {
    if (EdgeSearch(topology, wanted, detours, visit).run()) return detours;
  }
  throw UnsupportedError(fmt::format(
      "{}: these trees cannot be placed without using a channel twice, even with detours", topology.name()));
}

std::vector<PlacedTree> map_trees(const Topology& topology, std::span<const LogicalTree> trees) {
  std::vector<PlacedTree> found;
  for_each_placement(topology, trees, [&](const std::vector<PlacedTree>& placed) {
    found = placed;
    return false;
  });
  return found;
}

std::vector<LogicalTree> ccube_trees() {
  return {{kNoNode, 2, 4, 2, 0, 6, 4, 6}, {3, kNoNode, 3, 5, 7, 1, 7, 5}};
}

}  // namespace coppice::schedule
