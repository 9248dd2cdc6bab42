#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {

// A spanning tree of the accelerators over links. `parent` and `link` hold each accelerator's parent and the
// link to the parent; at the root they are kNoNode and -1.
struct RootedTree {
  topology::NodeId root = topology::kNoNode;
  std::vector<topology::NodeId> parent;
  std::vector<int> link;
};

// Forests over the same links. Each forest may contain a link once. The possible sets of forests are the
// independent sets of a sum of graphic matroids (Edmonds 1965, Nash-Williams 1961) and grow by augmentation
// (Roskind and Tarjan 1985).
class SpanningForests {
 public:
  SpanningForests(int nodes, std::span<const SymmetricLink> links, int forests);

  int forests() const { return static_cast<int>(trees_.size()); }
  bool holds(int tree, int link) const { return at(tree).holds[static_cast<std::size_t>(link)] != 0; }
  bool joined(int tree, topology::NodeId a, topology::NodeId b) const {
    return at(tree).component[static_cast<std::size_t>(a)] == at(tree).component[static_cast<std::size_t>(b)];
  }
  // The total number of links in all forests.
  int size() const { return size_; }
  // Whether all forests are spanning trees.
  bool complete() const { return size_ == forests() * (nodes_ - 1); }

  // Adds a link that joins two components of forest `tree`.
  void add(int tree, int link);
  // Adds one more copy of `link` to some forest, moving links between forests as needed. If that is
  // impossible, returns false and changes nothing; later attempts with the same link would fail as well.
  bool augment(int link);

  // Tree number `tree` of a complete packing, rooted at `root`.
  RootedTree rooted(int tree, topology::NodeId root) const;

 private:
  struct Forest {
    std::vector<std::uint8_t> holds;          // [link]: whether the forest contains it
    std::vector<std::vector<int>> incident;   // [node]: incident links
    std::vector<topology::NodeId> component;  // [node]: the root of its component
    std::vector<int> into;                    // [node]: the link towards the component's root; -1 at the root
    std::vector<int> depth;                   // [node]: distance from the component's root, in links
  };
  Forest& at(int tree) { return trees_[static_cast<std::size_t>(tree)]; }
  const Forest& at(int tree) const { return trees_[static_cast<std::size_t>(tree)]; }
  const SymmetricLink& link(int id) const { return links_[static_cast<std::size_t>(id)]; }
  void insert(Forest& forest, int link);
  void remove(Forest& forest, int link);
  void orient(Forest& forest) const;
  void orient_from(Forest& forest, topology::NodeId root) const;
  template <typename Visit>
  void for_each_on_path(const Forest& forest, int link, Visit visit) const;

  int nodes_;
  std::span<const SymmetricLink> links_;
  std::vector<Forest> trees_;
  std::vector<std::uint8_t> saturated_;  // [link]: whether no forest can ever take another copy
  int size_ = 0;
};

}  // namespace coppice::schedule
