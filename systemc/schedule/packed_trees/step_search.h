#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Finds spanning trees that are built in whole steps. Every node except a tree's root joins the tree in one
// step, over a channel from a node that joined earlier, and no channel serves two trees in the same step.
//
// The steps in which nodes join determine the trees: all joins of one node in one step are matched to the
// channels into the node, independently of other nodes and steps. A local search over steps (simulated
// annealing) minimizes the number of joins without a channel until it is zero.
class StepSearch {
 public:
  struct Link {
    topology::NodeId src = topology::kNoNode;
    topology::NodeId dst = topology::kNoNode;
  };

  // `links` are unidirectional; there may be parallel links.
  StepSearch(int nodes, std::span<const Link> links, int trees, int steps, std::uint64_t seed);

  // Tries at most `tries` changes; returns whether every node has joined every tree.
  bool run(int tries);

  // The step in which `node` joins `tree`; 0 if `node` is the root.
  int step(int tree, topology::NodeId node) const { return steps_[index(tree, node)]; }
  // After a successful search, the index of the link over which `node` joins `tree`; -1 if `node` is the
  // root.
  int link(int tree, topology::NodeId node) const;

 private:
  struct Cell {  // stands for all joins of one node in one step, over all trees
    topology::NodeId node;
    int step;
  };

  std::size_t index(int tree, topology::NodeId node) const {
    return static_cast<std::size_t>(tree) * static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(node);
  }
  std::size_t index(const Cell& cell) const {
    return static_cast<std::size_t>(cell.node) * static_cast<std::size_t>(most_steps_ + 1) +
           static_cast<std::size_t>(cell.step);
  }
  // Matches the joins of a cell to the node's incoming links. `tree_of` returns the tree that uses each link,
  // or -1 if no tree uses it. Returns the number of joins that have no link.
  int match(const Cell& cell, std::vector<int>& tree_of) const;
  bool augment(int tree, const Cell& cell, std::uint64_t& seen, std::vector<int>& tree_of) const;
  void set_step(int tree, topology::NodeId node, int step);
  void touch(const Cell& cell);
  int settle();
  // Makes a random change: changes a node's step, moves a root, or swaps a node's steps in two trees.
  void change();
  void undo();

  int nodes_;
  int trees_;
  int most_steps_;
  Random random_;
  std::vector<std::vector<int>> links_in_;   // [node]: indices of links into the node
  std::vector<std::vector<int>> nodes_out_;  // [node]: destinations of links out of the node
  std::vector<topology::NodeId> src_;        // [link]: its source
  std::vector<int> steps_;                   // [tree][node]: the step in which the node joins
  std::vector<int> left_over_;               // [cell]: number of joins without a link
  std::vector<Cell> touched_;
  std::vector<char> is_touched_;  // [cell]: whether it is in touched_
  std::vector<int> before_;       // [index in touched_]: left_over_ before the change
  struct Was {
    int tree;
    topology::NodeId node;
    int step;
  };
  std::vector<Was> was_;
  mutable std::vector<int> matched_;
  int total_ = 0;
};

}  // namespace coppice::schedule
