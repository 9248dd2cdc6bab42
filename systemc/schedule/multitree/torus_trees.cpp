#include "schedule/multitree/torus_trees.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "schedule/compile/bipartite_matching.h"
#include "schedule/trees/translated_schedule.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

// The neighbours of every node, by direction. A direction is an index into out_channels.
class Directions {
 public:
  explicit Directions(const Topology& topology)
      : count_(topology.out_channels(0).size()), nodes_(static_cast<std::size_t>(topology.num_nodes())) {
    next_.reserve(nodes_ * count_);
    for (const topology::Channel& channel : topology.channels()) next_.push_back(channel.dst);
    previous_.resize(next_.size());
    for (std::size_t i = 0; i < next_.size(); ++i) {
      previous_[static_cast<std::size_t>(next_[i]) * count_ + i % count_] = static_cast<NodeId>(i / count_);
    }
  }

  std::size_t count() const { return count_; }
  std::size_t nodes() const { return nodes_; }
  NodeId next(NodeId node, std::size_t direction) const { return next_[index(node, direction)]; }
  NodeId previous(NodeId node, std::size_t direction) const { return previous_[index(node, direction)]; }

 private:
  std::size_t index(NodeId node, std::size_t direction) const {
    return static_cast<std::size_t>(node) * count_ + direction;
  }

  std::size_t count_;
  std::size_t nodes_;
  std::vector<NodeId> next_;
  std::vector<NodeId> previous_;
};

// An edge of a tree of accelerator 0.
struct BaseEdge {
  NodeId parent = 0;
  NodeId child = 0;
  std::size_t direction = 0;
  int step = 0;
};

// The trees of accelerator 0, one per piece.
struct BaseTrees {
  int steps = 0;
  int depth = 0;
  std::vector<std::vector<BaseEdge>> pieces;
};

// Grows all trees of accelerator 0 together. A site is a pair of a piece and a node.
class Growth {
 public:
  Growth(const Directions& directions, const std::vector<int>& distance, int pieces, std::uint64_t seed,
         int attempt)
      : directions_(directions),
        distance_(distance),
        random_(seed, static_cast<std::uint64_t>(attempt)),
        depth_(directions.nodes() * static_cast<std::size_t>(pieces), kOutside) {
    trees_.pieces.resize(static_cast<std::size_t>(pieces));
    for (int piece = 0; piece < pieces; ++piece) join(site(piece, 0), 0);
  }

  BaseTrees run() {
    std::size_t missing = (directions_.nodes() - 1) * trees_.pieces.size();
    while (missing > 0) missing -= grow_one_step();
    return std::move(trees_);
  }

 private:
  static constexpr int kOutside = -1;
  static constexpr int kFrontier = -2;  // site outside the tree that is adjacent to a node of the tree

  struct Candidate {
    int distance = 0;
    std::uint64_t tie = 0;
    std::int32_t site = 0;
    auto operator<=>(const Candidate&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  std::int32_t site(int piece, NodeId node) const {
    return static_cast<std::int32_t>(piece * static_cast<int>(directions_.nodes()) + node);
  }
  int piece_of(std::int32_t site) const { return site / static_cast<int>(directions_.nodes()); }
  NodeId node_of(std::int32_t site) const { return site % static_cast<int>(directions_.nodes()); }
  int& depth(std::int32_t site) { return depth_[static_cast<std::size_t>(site)]; }
  std::int32_t parent_of(std::int32_t child, std::size_t direction) const {
    return site(piece_of(child), directions_.previous(node_of(child), direction));
  }

  void join(std::int32_t joined, int at_depth) {
    depth(joined) = at_depth;
    trees_.depth = std::max(trees_.depth, at_depth);
    for (std::size_t direction = 0; direction < directions_.count(); ++direction) {
      const std::int32_t next = site(piece_of(joined), directions_.next(node_of(joined), direction));
      if (depth(next) != kOutside) continue;
      depth(next) = kFrontier;
      frontier_.push_back({distance_[static_cast<std::size_t>(node_of(next))], random_.next(), next});
    }
  }

  // Adds one node in every direction where this is possible. Returns the number of nodes that joined.
  std::size_t grow_one_step() {
    ++trees_.steps;
    std::ranges::sort(frontier_);
    Assignment assignment(directions_.count());
    const auto directions_into = [&](std::int32_t child, auto&& visit) {
      // Directions along shortest paths from the root come first.
      for (const bool shortest : {true, false}) {
        for (std::size_t direction = 0; direction < directions_.count(); ++direction) {
          const int parent_depth = depth(parent_of(child, direction));
          if (parent_depth < 0) continue;
          if (shortest != (parent_depth < distance_[static_cast<std::size_t>(node_of(child))])) continue;
          if (visit(direction)) return;
        }
      }
    };
    for (std::size_t i = 0; i < frontier_.size() && !assignment.full(); ++i) {
      assignment.add(frontier_[i].site, directions_into);
    }
    return take(assignment);
  }

  std::size_t take(const Assignment& assignment) {
    struct Joining {
      std::int32_t site;
      int depth;
    };
    std::vector<Joining> joining;
    for (std::size_t direction = 0; direction < directions_.count(); ++direction) {
      const std::int32_t child = assignment[direction];
      if (child < 0) continue;
      const std::int32_t parent = parent_of(child, direction);
      joining.push_back({child, depth(parent) + 1});
      trees_.pieces[static_cast<std::size_t>(piece_of(child))].push_back(
          {.parent = node_of(parent), .child = node_of(child), .direction = direction, .step = trees_.steps});
    }
    for (const Joining& joined : joining) join(joined.site, joined.depth);
    std::erase_if(frontier_, [&](const Candidate& candidate) { return depth(candidate.site) >= 0; });
    return joining.size();
  }

  const Directions& directions_;
  const std::vector<int>& distance_;
  Random random_;
  std::vector<int> depth_;  // [site]
  std::vector<Candidate> frontier_;
  BaseTrees trees_;
};

std::vector<int> distances_from_root(const Directions& directions) {
  std::vector<int> distance(directions.nodes(), -1);
  std::vector<NodeId> reached{0};
  distance[0] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::size_t direction = 0; direction < directions.count(); ++direction) {
      const NodeId next = directions.next(reached[i], direction);
      if (distance[static_cast<std::size_t>(next)] >= 0) continue;
      distance[static_cast<std::size_t>(next)] = distance[static_cast<std::size_t>(reached[i])] + 1;
      reached.push_back(next);
    }
  }
  return distance;
}

// Returns the trees of the first `roots` accelerators. Each edge keeps its direction and starts at the image
// of its parent.
Trees translate(const Topology& topology, const BaseTrees& base, NodeId roots) {
  Trees trees{.steps = base.steps, .pieces = static_cast<int>(base.pieces.size()), .trees = {}};
  std::vector<NodeId> moved(static_cast<std::size_t>(topology.num_nodes()), 0);
  for (NodeId root = 0; root < roots; ++root) {
    moved[0] = root;
    for (const auto& piece : base.pieces) {
      auto& tree = trees.trees.emplace_back();
      tree.reserve(piece.size());
      for (const BaseEdge& edge : piece) {
        const NodeId parent = moved[static_cast<std::size_t>(edge.parent)];
        const ChannelId channel = topology.out_channels(parent)[edge.direction];
        const NodeId child = topology.channel(channel).dst;
        moved[static_cast<std::size_t>(edge.child)] = child;
        tree.push_back({.parent = parent, .child = child, .channel = channel, .step = edge.step});
      }
    }
  }
  return trees;
}

std::optional<BaseTrees> grow_base(const Topology& topology, int pieces, std::uint64_t seed, int restarts) {
  if (!channels_translate(topology)) return std::nullopt;
  const Directions directions(topology);
  const std::vector<int> distance = distances_from_root(directions);
  const int least_depth = *std::ranges::max_element(distance);
  const int least = least_steps(topology, pieces);
  BaseTrees best;
  for (int attempt = 0; attempt <= restarts; ++attempt) {
    BaseTrees trees = Growth(directions, distance, pieces, seed, attempt).run();
    if (attempt == 0 || std::tie(trees.steps, trees.depth) < std::tie(best.steps, best.depth))
      best = std::move(trees);
    if (best.steps == least && best.depth == least_depth) break;
  }
  return best;
}

}  // namespace

std::optional<Trees> translated_trees(const Topology& topology, int pieces, std::uint64_t seed,
                                      int restarts) {
  const auto base = grow_base(topology, pieces, seed, restarts);
  if (!base) return std::nullopt;
  return translate(topology, *base, topology.num_nodes());
}

std::optional<Trees> trees_to_translate(const Topology& topology, int pieces, std::uint64_t seed,
                                        int restarts) {
  const auto base = grow_base(topology, pieces, seed, restarts);
  if (!base) return std::nullopt;
  Trees trees = translate(topology, *base, 1);
  trees.root = 0;
  return trees;
}

}  // namespace coppice::schedule
