#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {

// A spanning tree of the accelerators over links: [accelerator] its parent and the link to it, none at the
// root.
struct RootedTree {
  topology::NodeId root = topology::kNoNode;
  std::vector<topology::NodeId> parent;
  std::vector<int> link;
};

// Forests that share links, each of which may hold a link once: the sums of graphic matroids (Edmonds 1965,
// Nash-Williams 1961). Grown by augmentation (Roskind and Tarjan 1985).
class SpanningForests {
 public:
  SpanningForests(int nodes, std::span<const SymmetricLink> links, int forests);

  int forests() const { return static_cast<int>(trees_.size()); }
  bool holds(int tree, int link) const { return at(tree).holds[static_cast<std::size_t>(link)] != 0; }
  bool joined(int tree, topology::NodeId a, topology::NodeId b) const {
    return at(tree).component[static_cast<std::size_t>(a)] == at(tree).component[static_cast<std::size_t>(b)];
  }
  // Links in all forests together.
  int size() const { return size_; }
  // All of them are spanning trees.
  bool complete() const { return size_ == forests() * (nodes_ - 1); }

  // The link joins two parts of `tree`.
  void add(int tree, int link);
  // One more copy of `link` in some forest, whatever links have to move between forests for it. False, and
  // nothing changes, if there is no way, now or later.
  bool augment(int link);

  // A tree of a complete packing.
  RootedTree rooted(int tree, topology::NodeId root) const;

 private:
  struct Forest {
    std::vector<std::uint8_t> holds;          // [link]
    std::vector<std::vector<int>> incident;   // [node]: links
    std::vector<topology::NodeId> component;  // [node]: a node of it, its root
    std::vector<int> into;                    // [node]: the link towards the component's root, -1
    std::vector<int> depth;                   // [node]
  };
  Forest& at(int tree) { return trees_[static_cast<std::size_t>(tree)]; }
  const Forest& at(int tree) const { return trees_[static_cast<std::size_t>(tree)]; }
  const SymmetricLink& link(int id) const { return links_[static_cast<std::size_t>(id)]; }
  void insert(Forest& forest, int link);
  void remove(Forest& forest, int link);
  void orient(Forest& forest) const;
  void orient_from(Forest& forest, topology::NodeId root) const;
  template <typename Visit>
  void for_each_on_way(const Forest& forest, int link, Visit visit) const;

  int nodes_;
  std::span<const SymmetricLink> links_;
  std::vector<Forest> trees_;
  std::vector<std::uint8_t> saturated_;  // [link]: another copy has no place, now or later
  int size_ = 0;
};

}  // namespace coppice::schedule
