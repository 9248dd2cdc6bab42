#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Spanning trees in whole steps: every node but a tree's root joins it in one step, over a channel from a
// node that joined before, and no channel serves two trees in a step.
//
// Steps at which nodes join decide everything: those of one node and step are matched to the channels into
// it, alone. So a local search over steps counts the nodes that are left over (simulated annealing) until
// there are none.
class StepSearch {
 public:
  struct Link {
    topology::NodeId src = topology::kNoNode;
    topology::NodeId dst = topology::kNoNode;
  };

  // `links` of `nodes` nodes, one way each, parallel ones included.
  StepSearch(int nodes, std::span<const Link> links, int trees, int steps, std::uint64_t seed);

  // Up to so many tries; whether every node has joined every tree.
  bool run(int tries);

  // 0: its root.
  int step(int tree, topology::NodeId node) const { return steps_[index(tree, node)]; }
  // After a search that succeeded, the index of the link over which `node` joins `tree`; -1: its root.
  int link(int tree, topology::NodeId node) const;

 private:
  struct Cell {
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
  // The trees that a cell's links are matched to, by link from first_link of the node; -1: none.
  int match(const Cell& cell, std::vector<int>& tree_of) const;
  bool augment(int tree, const Cell& cell, std::uint64_t& seen, std::vector<int>& tree_of) const;
  void set_step(int tree, topology::NodeId node, int step);
  void touch(const Cell& cell);
  int settle();
  // Changes that are tried: a node's step, the root, or the steps of a node in two trees.
  void change();
  void undo();

  int nodes_;
  int trees_;
  int most_steps_;
  Random random_;
  std::vector<std::vector<int>> links_in_;   // [node]: indices
  std::vector<std::vector<int>> nodes_out_;  // [node]: those that links from it lead to
  std::vector<topology::NodeId> src_;        // [link]
  std::vector<int> steps_;                   // [tree][node]
  std::vector<int> left_over_;               // [cell]: trees without a link
  std::vector<Cell> touched_;
  std::vector<char> is_touched_;  // [cell]
  std::vector<int> before_;       // [touched]: left over before the change
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
