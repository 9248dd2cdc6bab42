#include "schedule/multitree/matching_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/bits.h"
#include "base/error.h"
#include "base/random.h"
#include "schedule/compile/bipartite_matching.h"
#include "schedule/trees/link_allocator.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

class Growth {
 public:
  Growth(const Topology& topology, const std::vector<std::vector<ChannelId>>& ways_in, int pieces,
         std::uint64_t seed, int attempt)
      : topology_(topology),
        ways_in_(ways_in),
        random_(seed, static_cast<std::uint64_t>(attempt)),
        prefer_short_(attempt % 2 == 0),
        nodes_(static_cast<std::size_t>(topology.num_accelerators())),
        trees_count_(nodes_ * static_cast<std::size_t>(pieces)),
        words_(words_of(trees_count_)),
        held_(nodes_ * words_, 0),
        depth_(nodes_ * trees_count_, -1),
        holders_(trees_count_, 1),
        lacking_(words_) {
    trees_.pieces = pieces;
    trees_.trees.resize(trees_count_);
    for (std::size_t tree = 0; tree < trees_count_; ++tree) {
      const auto root = static_cast<NodeId>(tree / static_cast<std::size_t>(pieces));
      held(root).insert(tree);
      depth(root, tree) = 0;
    }
  }

  Trees run() {
    std::size_t missing = trees_count_ * (nodes_ - 1);
    std::vector<NodeId> turns(nodes_);
    std::iota(turns.begin(), turns.end(), 0);
    while (missing > 0) {
      ++trees_.steps;
      for (std::size_t i = nodes_; i > 1; --i) std::swap(turns[i - 1], turns[random_.below(i)]);
      joining_.clear();
      for (const NodeId node : turns) match(node);
      if (joining_.empty()) {
        throw UnsupportedError(fmt::format("{}: some accelerators cannot reach others", topology_.name()));
      }
      missing -= joining_.size();
      for (const Joining& joining : joining_) join(joining);
    }
    return std::move(trees_);
  }

 private:
  struct Joining {
    std::size_t tree = 0;
    ChannelId channel = -1;
  };
  struct Candidate {
    int holders = 0;
    int depth = 0;
    std::uint64_t tie = 0;
    std::size_t tree = 0;
    auto operator<=>(const Candidate&) const = default;
  };

  Bits held(NodeId node) { return {&held_[static_cast<std::size_t>(node) * words_], words_}; }
  int& depth(NodeId node, std::size_t tree) {
    return depth_[static_cast<std::size_t>(node) * trees_count_ + tree];
  }

  // Returns the trees that contain a neighbour of `node` but not `node` itself, as a heap. The tree to join
  // first is at the top.
  std::vector<Candidate> candidates(NodeId node) {
    lacking_.assign(words_, 0);
    Bits lacking(lacking_.data(), words_);
    for (const ChannelId id : topology_.in_channels(node))
      lacking.insert_all(held(topology_.channel(id).src));
    std::vector<Candidate> found;
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t word = lacking_[w] & ~held_[static_cast<std::size_t>(node) * words_ + w];
      for (; word != 0; word &= word - 1) {
        const std::size_t tree = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
        found.push_back({.holders = holders_[tree],
                         .depth = prefer_short_ ? nearest(node, tree) : 0,
                         .tie = random_.next(),
                         .tree = tree});
      }
    }
    std::ranges::make_heap(found, std::greater<>());
    return found;
  }

  // Returns the smallest depth at which the tree contains a neighbour of `node`.
  int nearest(NodeId node, std::size_t tree) {
    int least = std::numeric_limits<int>::max();
    for (const ChannelId id : topology_.in_channels(node)) {
      const int at = depth(topology_.channel(id).src, tree);
      if (at >= 0) least = std::min(least, at);
    }
    return least;
  }

  void match(NodeId node) {
    const std::vector<ChannelId>& in = ways_in_[static_cast<std::size_t>(node)];
    std::vector<Candidate> wanted = candidates(node);
    Assignment assignment(in.size());
    // Senders that are nearest to the root come first.
    const auto channels_of = [&](std::int32_t tree, auto&& visit) {
      const auto t = static_cast<std::size_t>(tree);
      const int least = nearest(node, t);
      for (const bool shortest : {true, false}) {
        for (std::size_t i = 0; i < in.size(); ++i) {
          const int at = depth(topology_.channel(in[i]).src, t);
          if (at >= 0 && (at == least) == shortest && visit(i)) return;
        }
      }
    };
    while (!wanted.empty() && !assignment.full()) {
      std::ranges::pop_heap(wanted, std::greater<>());
      assignment.add(static_cast<std::int32_t>(wanted.back().tree), channels_of);
      wanted.pop_back();
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (assignment[i] < 0) continue;
      const auto tree = static_cast<std::size_t>(assignment[i]);
      ++holders_[tree];
      joining_.push_back({tree, in[i]});
    }
  }

  void join(const Joining& joining) {
    const topology::Channel& channel = topology_.channel(joining.channel);
    held(channel.dst).insert(joining.tree);
    depth(channel.dst, joining.tree) = depth(channel.src, joining.tree) + 1;
    trees_.trees[joining.tree].push_back(
        {.parent = channel.src, .child = channel.dst, .channel = joining.channel, .step = trees_.steps});
  }

  const Topology& topology_;
  const std::vector<std::vector<ChannelId>>& ways_in_;
  Random random_;
  bool prefer_short_;
  std::size_t nodes_;
  std::size_t trees_count_;
  std::size_t words_;
  // [node * words]: trees that contain the node at the beginning of the timestep.
  std::vector<std::uint64_t> held_;
  // [node * trees + tree]: number of edges from the root; -1 if the node is not in the tree.
  std::vector<int> depth_;
  std::vector<int> holders_;  // [tree]: number of accelerators, including those that join in this timestep
  std::vector<std::uint64_t> lacking_;  // scratch space of candidates()
  std::vector<Joining> joining_;        // accelerators that join a tree in this timestep
  Trees trees_;
};

// For each accelerator, returns its incoming channels. Each channel is listed once for every tree that it can
// serve in a timestep.
std::vector<std::vector<ChannelId>> find_in_channels(const Topology& topology) {
  const LinkAllocator links(topology);
  std::vector<std::vector<ChannelId>> ways_in;
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    auto& ways = ways_in.emplace_back();
    for (const ChannelId id : topology.in_channels(node)) {
      ways.insert(ways.end(), static_cast<std::size_t>(links.capacity(id)), id);
    }
  }
  return ways_in;
}

}  // namespace

Trees matching_trees(const Topology& topology, int pieces, std::uint64_t seed, int restarts) {
  if (topology.num_nodes() != topology.num_accelerators()) {
    throw UnsupportedError(fmt::format(
        "{} has switches between its accelerators, which matching does not support", topology.name()));
  }
  const int least = least_steps(topology, pieces);
  const auto ways_in = find_in_channels(topology);
  Trees best;
  int best_depth = 0;
  for (int attempt = 0; attempt <= restarts; ++attempt) {
    Trees trees = Growth(topology, ways_in, pieces, seed, attempt).run();
    const int depth = depth_of(trees);
    if (attempt == 0 || std::tie(trees.steps, depth) < std::tie(best.steps, best_depth)) {
      best = std::move(trees);
      best_depth = depth;
    }
    if (best.steps == least) break;
  }
  return best;
}

}  // namespace coppice::schedule
