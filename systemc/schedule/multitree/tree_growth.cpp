#include "schedule/multitree/tree_growth.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "base/error.h"
#include "schedule/multitree/switch_search.h"
#include "schedule/trees/link_allocator.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

// The accelerators that a free channel reaches in the current timestep.
class Receivers {
 public:
  Receivers(const Topology& topology, const LinkAllocator& links)
      : topology_(topology),
        links_(links),
        open_(words_of(static_cast<std::size_t>(topology.num_accelerators()))) {}

  void begin_step() {
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) insert(node);
  }
  // Call this after a channel into `node` has been occupied.
  void update(NodeId node) {
    const bool open =
        std::ranges::any_of(topology_.in_channels(node), [&](ChannelId id) { return links_.is_free(id); });
    if (!open) open_[static_cast<std::size_t>(node) / 64] &= ~bit(node);
  }
  bool none_outside(const std::vector<std::uint64_t>& held) const {
    for (std::size_t w = 0; w < open_.size(); ++w) {
      if ((open_[w] & ~held[w]) != 0) return false;
    }
    return true;
  }

 private:
  static std::uint64_t bit(NodeId node) { return std::uint64_t{1} << (static_cast<unsigned>(node) % 64U); }
  void insert(NodeId node) { open_[static_cast<std::size_t>(node) / 64] |= bit(node); }

  const Topology& topology_;
  const LinkAllocator& links_;
  std::vector<std::uint64_t> open_;
};

// The limits of a tree's search for a new node.
struct Look {
  bool fresh = true;  // whether to search also from nodes that joined in the previous timestep
  int reach = 0;      // maximum number of channels between switches
};

std::vector<Look> looks_of(LookingOrder order, int farthest) {
  std::vector<Look> looks;
  switch (order) {
    case LookingOrder::kAsFarAsNeeded:
      return {{true, farthest}};
    case LookingOrder::kOneLinkFirst:
      return {{true, std::min(1, farthest)}, {true, farthest}};
    case LookingOrder::kFreshLast:
      for (const bool fresh : {false, true}) {
        for (int reach = 0; reach <= farthest; ++reach) looks.push_back({fresh, reach});
      }
      return looks;
    case LookingOrder::kNearestFirst:
      for (int reach = 0; reach <= farthest; ++reach) {
        for (const bool fresh : {false, true}) looks.push_back({fresh, reach});
      }
      return looks;
  }
  return looks;
}

// The state that all trees share while they grow.
struct Ground {
  Ground(const Topology& all, std::size_t equivalent)
      : topology(all), directions(equivalent), links(all), search(all, links), receivers(all, links) {}

  bool is_free(ChannelId id) const { return links.is_free(representative(id)); }
  void take(ChannelId id) { links.take(representative(id)); }
  // Whether only one tree grows (grow_tree_to_translate()) and no channel is free for it.
  bool none_free() const {
    for (std::size_t direction = 0; direction < directions; ++direction) {
      if (links.is_free(static_cast<ChannelId>(direction))) return false;
    }
    return directions > 0;
  }
  // The channel of accelerator 0 that stands for all channels in the direction of `id`.
  ChannelId representative(ChannelId id) const {
    return directions == 0 ? id : id % static_cast<ChannelId>(directions);
  }

  const Topology& topology;
  const std::size_t directions;  // number per node in grow_tree_to_translate(); 0 if all trees grow
  LinkAllocator links;
  SwitchSearch search;
  Receivers receivers;
  Look look;
  bool beyond_reach = false;       // whether a longer path might exist
  std::vector<ChannelPath> paths;  // paths through switches of all trees
};

class GrowingTree {
 public:
  GrowingTree(Ground& ground, NodeId root)
      : ground_(&ground),
        held_(words_of(static_cast<std::size_t>(ground.topology.num_accelerators())), 0),
        parents_{root} {
    edges_.reserve(static_cast<std::size_t>(ground.topology.num_accelerators()) - 1);
    hold(root);
  }

  bool complete() const {
    return edges_.size() + 1 == static_cast<std::size_t>(ground_->topology.num_accelerators());
  }

  // The number of accelerators in the tree, excluding the root.
  std::size_t size() const { return edges_.size(); }

  // Makes all nodes of the tree possible parents in the coming timestep, except nodes whose neighbours are
  // all in the tree.
  void begin_step() {
    std::erase_if(parents_, [&](NodeId node) {
      return std::ranges::none_of(ground_->topology.out_channels(node), [&](ChannelId id) {
        const NodeId next = ground_->topology.channel(id).dst;
        return !ground_->topology.is_accelerator(next) || !holds(next);
      });
    });
    seasoned_ = parents_.size();
    parents_.insert(parents_.end(), joined_.begin(), joined_.end());
    joined_.clear();
  }

  void begin_look() {
    parent_ = 0;
    channel_ = 0;
  }

  // Adds one node if possible. A node that the tree could not reach earlier in a timestep, with the same
  // limits, stays out of reach until the next timestep, so the search resumes where the last search ended.
  bool extend() {
    if (ground_->none_free() || (ground_->directions == 0 && ground_->receivers.none_outside(held_)))
      return false;
    const std::size_t end = ground_->look.fresh ? parents_.size() : seasoned_;
    for (; parent_ < end; ++parent_, channel_ = 0) {
      const auto out = ground_->topology.out_channels(parents_[parent_]);
      for (; channel_ < out.size(); ++channel_) {
        if (extend_over(out[channel_])) return true;
      }
    }
    return false;
  }

  std::vector<TreeEdge> take_edges() { return std::move(edges_); }

 private:
  bool holds(NodeId node) const {
    return ConstBits(held_.data(), held_.size()).contains(static_cast<std::size_t>(node));
  }
  void hold(NodeId node) { Bits(held_.data(), held_.size()).insert(static_cast<std::size_t>(node)); }

  bool extend_over(ChannelId id) {
    if (!ground_->is_free(id)) return false;
    const NodeId next = ground_->topology.channel(id).dst;
    if (!ground_->topology.is_accelerator(next)) return extend_through(id);
    if (holds(next)) return false;
    ground_->take(id);
    join({.parent = parents_[parent_], .child = next, .channel = id, .step = ground_->links.step()});
    return true;
  }

  bool extend_through(ChannelId first) {
    const ChannelPath path =
        ground_->search.find(first, ground_->look.reach, [&](NodeId node) { return !holds(node); });
    if (path.empty()) {
      ground_->beyond_reach = ground_->beyond_reach || ground_->search.cut_short();
      return false;
    }
    ground_->links.take(path);
    join({.parent = parents_[parent_],
          .child = ground_->topology.channel(path.back()).dst,
          .step = ground_->links.step(),
          .path = static_cast<std::int32_t>(ground_->paths.size())});
    ground_->paths.push_back(path);
    return true;
  }

  void join(const TreeEdge& edge) {
    hold(edge.child);
    joined_.push_back(edge.child);
    edges_.push_back(edge);
    if (ground_->directions == 0) ground_->receivers.update(edge.child);
  }

  Ground* ground_;
  std::vector<std::uint64_t> held_;  // accelerators in the tree
  std::vector<NodeId> parents_;      // possible parents, in the order in which they joined
  std::size_t seasoned_ = 0;    // number of elements of parents_ that joined before the previous timestep
  std::vector<NodeId> joined_;  // nodes that joined in this timestep
  std::size_t parent_ = 0;
  std::size_t channel_ = 0;
  std::vector<TreeEdge> edges_;
};

// Lets the trees extend in turn, in the given order, until no tree can be extended. Returns whether any tree
// was extended.
bool take_turns(std::vector<GrowingTree*> able) {
  bool grown = false;
  for (GrowingTree* tree : able) tree->begin_look();
  while (!able.empty()) {
    std::erase_if(able, [&](GrowingTree* tree) { return !tree->extend(); });
    grown = grown || !able.empty();
  }
  return grown;
}

// Grows all trees by one timestep. Returns false if no tree could be extended.
bool grow_one_step(const std::vector<GrowingTree*>& growing, const std::vector<Look>& looks, Ground& ground) {
  ground.links.next_step();
  ground.receivers.begin_step();
  for (GrowingTree* tree : growing) tree->begin_step();
  bool grown = false;
  ground.beyond_reach = true;
  for (const Look& look : looks) {
    if (look.reach > 0 && !ground.beyond_reach && look.fresh == ground.look.fresh) continue;
    ground.look = look;
    ground.beyond_reach = false;
    grown = take_turns(growing) || grown;
  }
  return grown;
}

void shuffle(std::vector<GrowingTree*>& trees, Random& random) {
  for (std::size_t i = trees.size(); i > 1; --i) std::swap(trees[i - 1], trees[random.below(i)]);
}

void sort_by_rarity(std::vector<GrowingTree*>& trees) {
  std::ranges::stable_sort(trees, {}, [](const GrowingTree* tree) { return tree->size(); });
}

// Grows the trees of `roots`. They take turns in this order unless `rarest_first` or `random` changes it.
Trees grow(const Topology& topology, const std::vector<NodeId>& roots, LookingOrder order, bool rarest_first,
           Random* random, std::size_t directions = 0) {
  Ground ground(topology, directions);
  const std::vector<Look> looks = looks_of(order, topology.num_switches());
  std::vector<GrowingTree> trees;
  std::vector<GrowingTree*> growing;
  trees.reserve(roots.size());
  for (const NodeId root : roots) growing.push_back(&trees.emplace_back(ground, root));
  for (;;) {
    std::erase_if(growing, [](const GrowingTree* tree) { return tree->complete(); });
    if (growing.empty()) break;
    if (random != nullptr) shuffle(growing, *random);
    if (rarest_first) sort_by_rarity(growing);
    if (!grow_one_step(growing, looks, ground)) {
      throw UnsupportedError(fmt::format("{}: some accelerators cannot reach others", topology.name()));
    }
  }
  Trees result{.steps = ground.links.step(), .pieces = 1, .trees = {}, .paths = std::move(ground.paths)};
  for (GrowingTree& tree : trees) result.trees.push_back(tree.take_edges());
  return result;
}

}  // namespace

Trees grow_trees(const Topology& topology, int pieces, LookingOrder order, Random* random) {
  std::vector<NodeId> roots;
  for (NodeId root = 0; root < topology.num_accelerators(); ++root) {
    roots.insert(roots.end(), static_cast<std::size_t>(pieces), root);
  }
  Trees trees = grow(topology, roots, order, random != nullptr, random);
  trees.pieces = pieces;
  return trees;
}

Trees grow_tree_to_translate(const Topology& topology) {
  Trees trees =
      grow(topology, {0}, LookingOrder::kAsFarAsNeeded, false, nullptr, topology.out_channels(0).size());
  trees.root = 0;
  return trees;
}

Trees grow_trees_of(const Topology& topology, NodeId root, int pieces, std::uint64_t seed) {
  constexpr std::uint64_t kAttempts = 8;
  const std::vector<NodeId> roots(static_cast<std::size_t>(pieces), root);
  Trees best;
  const auto keep_better = [&](Trees trees) {
    if (best.trees.empty() || trees.steps < best.steps) best = std::move(trees);
  };
  for (const LookingOrder order : kLookingOrders) {
    keep_better(grow(topology, roots, order, true, nullptr));
    if (topology.num_switches() == 0) break;
  }
  for (std::uint64_t attempt = 0; attempt < kAttempts && pieces > 1; ++attempt) {
    Random random(seed, attempt);
    keep_better(grow(topology, roots, kLookingOrders[attempt % kLookingOrders.size()], true, &random));
  }
  best.pieces = pieces;
  best.root = root;
  return best;
}

}  // namespace coppice::schedule
