#include "schedule/pipelined_trees/hierarchy_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "schedule/compile/channel_paths.h"
#include "topology/networks/hierarchy.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Hierarchy;
using topology::Topology;

// The links between accelerators and switches, each of which is allocated individually.
class SwitchLinks {
 public:
  struct Link {
    ChannelId up = -1;    // from the accelerator to the switch
    ChannelId down = -1;  // from the switch to the accelerator
  };

  explicit SwitchLinks(const Topology& topology) : topology_(topology) {
    const auto reverse = reverse_channels(topology);
    for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
      for (const ChannelId id : topology.out_channels(node)) {
        links_[{node, topology.channel(id).dst}].push_back({id, reverse[static_cast<std::size_t>(id)]});
      }
    }
    for (auto& [ends, links] : links_) std::ranges::reverse(links);
  }

  Link claim(NodeId accelerator, NodeId hub) {
    auto& left = links_[{accelerator, hub}];
    if (left.empty()) {
      throw UnsupportedError(fmt::format(
          "{}: accelerator {} has too few links to switch {} for the edges of the trees: two trees "
          "need 4 unbundled links in every dimension",
          topology_.name(), accelerator, hub));
    }
    const Link link = left.back();
    left.pop_back();
    return link;
  }

 private:
  const Topology& topology_;
  std::map<std::pair<NodeId, NodeId>, std::vector<Link>> links_;
};

// Grows a tree from its root, beginning with the highest dimension, so that parents precede their children.
class Growth {
 public:
  Growth(const Hierarchy& hierarchy, SwitchLinks& links, bool mirrored)
      : hierarchy_(hierarchy), links_(links), mirrored_(mirrored) {}

  LinkedTree grow() {
    NodeId root = 0;
    for (std::size_t d = 0; d < hierarchy_.dimensions().size(); ++d) {
      const BinaryTree tree = tree_of(d);
      const auto at = static_cast<int>(std::ranges::find(tree, -1) - tree.begin());
      root = hierarchy_.peer(root, d, at);
    }
    tree_.root = root;
    std::vector<NodeId> members{root};
    for (std::size_t d = hierarchy_.dimensions().size(); d-- > 0;) {
      const std::vector<NodeId> roots = members;
      for (const NodeId member : roots) grow_group(member, d, members);
    }
    return std::move(tree_);
  }

 private:
  BinaryTree tree_of(std::size_t d) const {
    const auto pair = double_binary_tree(hierarchy_.dimensions()[d].size);
    return mirrored_ ? pair.second : pair.first;
  }

  // Adds all other members of the group to which `root` belongs in dimension `d`.
  void grow_group(NodeId root, std::size_t d, std::vector<NodeId>& members) {
    const NodeId hub = hierarchy_.switch_of(root, d);
    for (const TreeLink& edge : routed_tree(tree_of(d)).links) {
      const NodeId child = hierarchy_.peer(root, d, edge.child);
      const NodeId parent = hierarchy_.peer(root, d, edge.parent);
      const SwitchLinks::Link below = links_.claim(child, hub);
      const SwitchLinks::Link above = links_.claim(parent, hub);
      tree_.links.push_back({child, parent, {below.up, above.down}, {above.up, below.down}});
      members.push_back(child);
    }
  }

  const Hierarchy& hierarchy_;
  SwitchLinks& links_;
  bool mirrored_;
  LinkedTree tree_;
};

}  // namespace

std::vector<LinkedTree> hierarchy_trees(const Topology& topology, int count) {
  const Hierarchy hierarchy(topology);
  for (const Hierarchy::Dimension& dimension : hierarchy.dimensions()) {
    if (dimension.kind == topology::DimensionKind::kSwitch) continue;
    throw UnsupportedError(fmt::format("{}: trees can be placed only on hierarchies of switches, not on a {}",
                                       topology.name(), to_string(dimension.kind)));
  }
  SwitchLinks links(topology);
  std::vector<LinkedTree> trees;
  for (int tree = 0; tree < count; ++tree) trees.push_back(Growth(hierarchy, links, tree > 0).grow());
  return trees;
}

}  // namespace coppice::schedule
