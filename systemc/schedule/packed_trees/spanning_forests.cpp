#include "schedule/packed_trees/spanning_forests.h"
#include "base/index.h"

#include <algorithm>
#include <numeric>

namespace coppice::schedule {

using topology::kNoNode;
using topology::NodeId;

namespace {}  // namespace

SpanningForests::SpanningForests(int nodes, std::span<const SymmetricLink> links, int forests)
    : nodes_(nodes), links_(links), trees_(index(forests)), saturated_(links.size(), 0) {
  for (Forest& forest : trees_) {
    forest.holds.assign(links.size(), 0);
    forest.incident.resize(index(nodes));
    forest.component.resize(index(nodes));
    std::iota(forest.component.begin(), forest.component.end(), 0);
    forest.into.assign(index(nodes), -1);
    forest.depth.assign(index(nodes), 0);
  }
}

void SpanningForests::insert(Forest& forest, int id) {
  forest.holds[index(id)] = 1;
  forest.incident[index(link(id).a)].push_back(id);
  forest.incident[index(link(id).b)].push_back(id);
}

void SpanningForests::remove(Forest& forest, int id) {
  forest.holds[index(id)] = 0;
  std::erase(forest.incident[index(link(id).a)], id);
  std::erase(forest.incident[index(link(id).b)], id);
}

void SpanningForests::orient_from(Forest& forest, NodeId root) const {
  std::vector<NodeId> reached{root};
  forest.component[index(root)] = root;
  forest.into[index(root)] = -1;
  forest.depth[index(root)] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const NodeId node = reached[i];
    for (const int id : forest.incident[index(node)]) {
      if (id == forest.into[index(node)]) continue;
      const NodeId next = link(id).other_end(node);
      forest.component[index(next)] = root;
      forest.into[index(next)] = id;
      forest.depth[index(next)] = forest.depth[index(node)] + 1;
      reached.push_back(next);
    }
  }
}

void SpanningForests::orient(Forest& forest) const {
  std::ranges::fill(forest.component, kNoNode);
  for (NodeId node = 0; node < nodes_; ++node) {
    if (forest.component[index(node)] == kNoNode) orient_from(forest, node);
  }
}

void SpanningForests::add(int tree, int id) {
  Forest& forest = at(tree);
  insert(forest, id);
  orient_from(forest, forest.component[index(link(id).a)]);
  ++size_;
}

// Visits the forest's links on the path between the two ends of link `id`. The forest must connect these
// ends.
template <typename Visit>
void SpanningForests::for_each_on_path(const Forest& forest, int id, Visit visit) const {
  NodeId a = link(id).a;
  NodeId b = link(id).b;
  while (a != b) {
    NodeId& deeper = forest.depth[index(a)] > forest.depth[index(b)] ? a : b;
    const int up = forest.into[index(deeper)];
    visit(up);
    deeper = link(up).other_end(deeper);
  }
}

// Searches breadth first, so that as few links as possible move and their exchanges do not disturb each
// other. All copies of a link could move to the same forests, so each link is visited only once.
bool SpanningForests::augment(int added) {
  if (saturated_[index(added)] != 0) return false;
  struct Reached {
    int link;
    int from;    // index into `reached` of the link that would take its place; -1 for the first link
    int forest;  // the forest that the link would leave
  };
  std::vector<Reached> reached{{added, -1, -1}};
  std::vector<std::uint8_t> seen(links_.size(), 0);
  seen[index(added)] = 1;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Reached moving = reached[i];
    for (int t = 0; t < forests(); ++t) {
      if (holds(t, moving.link)) continue;
      const Forest& forest = at(t);
      if (joined(t, link(moving.link).a, link(moving.link).b)) {
        for_each_on_path(forest, moving.link, [&](int id) {
          if (saturated_[index(id)] != 0 || seen[index(id)] != 0) return;
          seen[index(id)] = 1;
          reached.push_back({id, static_cast<int>(i), t});
        });
        continue;
      }
      int into = t;
      for (int at_place = static_cast<int>(i); at_place >= 0; at_place = reached[index(at_place)].from) {
        const Reached& step = reached[index(at_place)];
        if (step.forest >= 0) remove(at(step.forest), step.link);
        insert(at(into), step.link);
        orient(at(into));
        into = step.forest;
      }
      ++size_;
      return true;
    }
  }
  for (const Reached& closed : reached) saturated_[index(closed.link)] = 1;
  return false;
}

RootedTree SpanningForests::rooted(int tree, NodeId root) const {
  Forest forest = at(tree);
  orient_from(forest, root);
  RootedTree result{root, std::vector<NodeId>(index(nodes_), kNoNode), forest.into};
  for (NodeId node = 0; node < nodes_; ++node) {
    if (node != root) result.parent[index(node)] = link(forest.into[index(node)]).other_end(node);
  }
  return result;
}

}  // namespace coppice::schedule
