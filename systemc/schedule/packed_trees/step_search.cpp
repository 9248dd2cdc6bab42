#include "schedule/packed_trees/step_search.h"

#include <algorithm>
#include <cmath>

namespace coppice::schedule {
namespace {

using topology::NodeId;

// Temperatures at the start and end of a search. One join without a channel has an energy of 1.
constexpr double kHottest = 0.3;
constexpr double kColdest = 0.12;

}  // namespace

StepSearch::StepSearch(int nodes, std::span<const Link> links, int trees, int steps, std::uint64_t seed)
    : nodes_(nodes),
      trees_(trees),
      most_steps_(steps),
      random_(seed, static_cast<std::uint64_t>(trees)),
      links_in_(static_cast<std::size_t>(nodes)),
      nodes_out_(static_cast<std::size_t>(nodes)),
      steps_(static_cast<std::size_t>(trees) * static_cast<std::size_t>(nodes)),
      left_over_(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(steps + 1), 0),
      is_touched_(left_over_.size(), 0) {
  for (const Link& link : links) {
    links_in_[static_cast<std::size_t>(link.dst)].push_back(static_cast<int>(src_.size()));
    src_.push_back(link.src);
    std::vector<int>& out = nodes_out_[static_cast<std::size_t>(link.src)];
    if (std::ranges::find(out, link.dst) == out.end()) out.push_back(link.dst);
  }
  for (int tree = 0; tree < trees_; ++tree) {
    for (NodeId node = 0; node < nodes_; ++node) {
      steps_[index(tree, node)] =
          node == tree % nodes_ ? 0 : 1 + static_cast<int>(random_.below(static_cast<std::uint64_t>(steps)));
    }
  }
  for (NodeId node = 0; node < nodes_; ++node) {
    for (int step = 1; step <= most_steps_; ++step) touch({node, step});
  }
  total_ = settle();
}

bool StepSearch::augment(int tree, const Cell& cell, std::uint64_t& seen, std::vector<int>& tree_of) const {
  const std::vector<int>& links = links_in_[static_cast<std::size_t>(cell.node)];
  for (std::size_t i = 0; i < links.size(); ++i) {
    if ((seen >> i & 1) != 0) continue;
    if (step(tree, src_[static_cast<std::size_t>(links[i])]) >= cell.step) continue;
    seen |= std::uint64_t{1} << i;
    if (tree_of[i] >= 0 && !augment(tree_of[i], cell, seen, tree_of)) continue;
    tree_of[i] = tree;
    return true;
  }
  return false;
}

int StepSearch::match(const Cell& cell, std::vector<int>& tree_of) const {
  tree_of.assign(links_in_[static_cast<std::size_t>(cell.node)].size(), -1);
  int left = 0;
  for (int tree = 0; tree < trees_; ++tree) {
    if (step(tree, cell.node) != cell.step) continue;
    std::uint64_t seen = 0;
    if (!augment(tree, cell, seen, tree_of)) ++left;
  }
  return left;
}

int StepSearch::link(int tree, NodeId node) const {
  const int at = step(tree, node);
  if (at == 0) return -1;
  match({node, at}, matched_);
  const auto found = std::ranges::find(matched_, tree);
  if (found == matched_.end()) return -1;
  return links_in_[static_cast<std::size_t>(node)][static_cast<std::size_t>(found - matched_.begin())];
}

void StepSearch::touch(const Cell& cell) {
  char& touched = is_touched_[index(cell)];
  if (cell.step == 0 || touched != 0) return;
  touched = 1;
  touched_.push_back(cell);
}

void StepSearch::set_step(int tree, NodeId node, int step) {
  int& now = steps_[index(tree, node)];
  was_.push_back({tree, node, now});
  touch({node, now});
  touch({node, step});
  const int low = std::min(now, step);
  const int high = std::max(now, step);
  for (const NodeId next : nodes_out_[static_cast<std::size_t>(node)]) {
    const int joins = this->step(tree, next);
    if (joins > low && joins <= high) touch({next, joins});
  }
  now = step;
}

int StepSearch::settle() {
  int change = 0;
  before_.clear();
  for (const Cell& cell : touched_) {
    int& left = left_over_[index(cell)];
    before_.push_back(left);
    change -= left;
    left = match(cell, matched_);
    change += left;
    is_touched_[index(cell)] = 0;
  }
  return change;
}

void StepSearch::change() {
  const auto any = [&](int of) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(of))); };
  const int tree = any(trees_);
  const NodeId node = any(nodes_);
  const int now = step(tree, node);
  const int other = any(trees_);
  const int there = step(other, node);
  if (now != 0 && there != 0 && now != there && any(2) == 0) {
    set_step(tree, node, there);
    set_step(other, node, now);
  } else if (now != 0 && any(4) == 0) {
    NodeId root = 0;
    while (step(tree, root) != 0) ++root;
    set_step(tree, root, now);
    set_step(tree, node, 0);
  } else if (now != 0) {
    set_step(tree, node, 1 + any(most_steps_));
  }
}

void StepSearch::undo() {
  for (std::size_t i = was_.size(); i-- > 0;) steps_[index(was_[i].tree, was_[i].node)] = was_[i].step;
  for (std::size_t i = 0; i < touched_.size(); ++i) left_over_[index(touched_[i])] = before_[i];
}

bool StepSearch::run(int tries) {
  for (int i = 0; i < tries && total_ > 0; ++i) {
    const double temperature =
        kHottest * std::pow(kColdest / kHottest, static_cast<double>(i) / static_cast<double>(tries));
    touched_.clear();
    was_.clear();
    change();
    const int worse = settle();
    if (worse <= 0 || random_.uniform() < std::exp(-worse / temperature)) {
      total_ += worse;
    } else {
      undo();
    }
  }
  return total_ == 0;
}

}  // namespace coppice::schedule
