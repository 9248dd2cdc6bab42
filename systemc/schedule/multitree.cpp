#include "schedule/multitree.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "schedule/link_allocator.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

// One tree while it grows.
class GrowingTree {
 public:
  GrowingTree(const Topology& topology, NodeId root)
      : topology_(topology), held_(static_cast<std::size_t>(topology.num_nodes()), 0), parents_{root} {
    held_[static_cast<std::size_t>(root)] = 1;
  }

  bool complete() const {
    return edges_.size() + 1 == static_cast<std::size_t>(topology_.num_accelerators());
  }

  // Only what it holds now may be a parent in the timestep to come; nodes without a lacking neighbour are
  // done.
  void begin_step() {
    parents_.insert(parents_.end(), joined_.begin(), joined_.end());
    joined_.clear();
    std::erase_if(parents_, [&](NodeId node) {
      return std::ranges::none_of(topology_.out_channels(node),
                                  [&](ChannelId id) { return !holds(topology_.channel(id).dst); });
    });
    parent_ = 0;
    channel_ = 0;
  }

  // Takes one node, if it can. What a tree could not take earlier in the timestep it cannot take later: the
  // search goes on where the last one ended.
  bool extend(LinkAllocator& links) {
    for (; parent_ < parents_.size(); ++parent_, channel_ = 0) {
      const NodeId parent = parents_[parent_];
      const auto out = topology_.out_channels(parent);
      while (channel_ < out.size()) {
        const ChannelId id = out[channel_++];
        const NodeId child = topology_.channel(id).dst;
        if (!links.is_free(id) || holds(child)) continue;
        links.take(id);
        held_[static_cast<std::size_t>(child)] = 1;
        joined_.push_back(child);
        edges_.push_back({.parent = parent, .child = child, .channel = id, .step = links.step()});
        return true;
      }
    }
    return false;
  }

  std::vector<TreeEdge> take_edges() { return std::move(edges_); }

 private:
  bool holds(NodeId node) const { return held_[static_cast<std::size_t>(node)] != 0; }

  const Topology& topology_;
  std::vector<std::uint8_t> held_;  // [node]
  std::vector<NodeId> parents_;     // in the order they joined
  std::vector<NodeId> joined_;      // in this timestep
  std::size_t parent_ = 0;
  std::size_t channel_ = 0;
  std::vector<TreeEdge> edges_;
};

// One timestep: turns in ascending order of roots until no tree can extend. False if none ever could.
bool grow_one_step(std::vector<GrowingTree>& trees, LinkAllocator& links) {
  links.next_step();
  std::vector<GrowingTree*> able;
  for (GrowingTree& tree : trees) {
    if (tree.complete()) continue;
    tree.begin_step();
    able.push_back(&tree);
  }
  bool grown = false;
  while (!able.empty()) {
    std::erase_if(able, [&](GrowingTree* tree) { return !tree->extend(links); });
    grown = grown || !able.empty();
  }
  return grown;
}

}  // namespace

Trees build_trees(const Topology& topology) {
  if (topology.num_nodes() != topology.num_accelerators()) {
    throw UnsupportedError(
        fmt::format("multitree on {}: switches between accelerators are not supported", topology.name()));
  }
  LinkAllocator links(topology);
  std::vector<GrowingTree> growing;
  growing.reserve(static_cast<std::size_t>(topology.num_accelerators()));
  for (NodeId root = 0; root < topology.num_accelerators(); ++root) growing.emplace_back(topology, root);
  while (!std::ranges::all_of(growing, &GrowingTree::complete)) {
    if (!grow_one_step(growing, links)) {
      throw UnsupportedError(
          fmt::format("multitree on {}: some accelerators cannot reach others", topology.name()));
    }
  }
  Trees trees{.steps = links.step(), .pieces = 1, .trees = {}};
  for (GrowingTree& tree : growing) trees.trees.push_back(tree.take_edges());
  return trees;
}

Schedule MultiTreeCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  require_whole_chunks(request, "multitree");
  Schedule schedule = schedule_trees(topology, request, "multitree", build_trees(topology));
  schedule.least_steps = (request.collective == Collective::kAllReduce ? 2 : 1) * least_steps(topology, 1);
  return schedule;
}

}  // namespace coppice::schedule
