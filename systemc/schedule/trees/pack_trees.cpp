#include "schedule/trees/pack_trees.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "schedule/compile/table_builder.h"
#include "schedule/tables/tree_tables.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::Channel;
using topology::ChannelId;
using topology::Topology;

class Packer {
 public:
  Packer(const Topology& topology, const CompileRequest& request, std::span<const Chunk> flows,
         const Trees& trees)
      : topology_(topology),
        request_(request),
        trees_(trees),
        gathers_after_(request.collective == Collective::kAllReduce ? trees.steps : 0),
        steps_(gathers_after_ + trees.steps),
        reverse_(reverse_channels(topology)),
        size_of_slot_(slots(), 0),
        first_use_(slots(), {std::numeric_limits<std::int32_t>::max(), 0}) {
    spec_.ports = static_cast<std::size_t>(request.ni_ports);
    spec_.reduce_steps =
        request.collective == Collective::kAllGather ? 0 : static_cast<std::size_t>(trees.steps);
    spec_.chunks.assign(flows.begin(), flows.end());
  }

  // Returns false if a port has several messages in a timestep, or if a tree is not a spanning tree.
  bool pack() {
    describe_slots();
    for_each_message([this](std::size_t slot, std::int32_t step, std::size_t tree) {
      auto& size = size_of_slot_[slot];
      size = std::max(size, step);
      first_use_[slot] = std::min(first_use_[slot], {step, tree});
      auto& longest = spec_.longest[static_cast<std::size_t>(step)];
      longest = std::max(longest, spec_.chunks[tree].bytes);
      return true;
    });
    spec_.first.push_back(0);
    for (const std::int32_t size : size_of_slot_) {
      spec_.first.push_back(spec_.first.back() + static_cast<std::size_t>(size));
    }
    spec_.flows.assign(spec_.first.back(), TreeTables::kIdle);
    const bool apart = for_each_message([this](std::size_t slot, std::int32_t step, std::size_t tree) {
      TreeTables::Flow& flow = spec_.flows[spec_.first[slot] + static_cast<std::size_t>(step) - 1];
      return std::exchange(flow, static_cast<TreeTables::Flow>(tree)) == TreeTables::kIdle;
    });
    return apart && place_accelerators();
  }

  Schedule schedule(const std::string& algorithm) {
    Schedule schedule;
    schedule.algorithm = algorithm;
    schedule.collective = request_.collective;
    schedule.size = request_.size;
    schedule.element = request_.element;
    schedule.flows = static_cast<int>(spec_.chunks.size());
    schedule.steps = steps_;
    schedule.routes = number_routes();
    schedule.nodes.resize(static_cast<std::size_t>(topology_.num_accelerators()));
    const std::size_t ports = spec_.ports;
    const auto tables = std::make_shared<const TreeTables>(std::move(spec_));
    for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
      for (std::size_t port = 0; port < ports; ++port) {
        schedule.nodes[node].ports.emplace_back(tables, node * ports + port, static_cast<NodeId>(node));
      }
    }
    return schedule;
  }

 private:
  std::size_t slots() const {
    return static_cast<std::size_t>(topology_.num_accelerators()) *
           static_cast<std::size_t>(request_.ni_ports);
  }
  std::size_t slot_of(ChannelId id) const {
    const Channel& channel = topology_.channel(id);
    return static_cast<std::size_t>(channel.src) * spec_.ports + static_cast<std::size_t>(channel.src_port);
  }

  void describe_slots() {
    spec_.longest.assign(static_cast<std::size_t>(steps_) + 1, 0);
    spec_.neighbours.assign(slots(), topology::kNoNode);
    spec_.back.assign(slots(), TreeTables::Place::kRoot);
    for (ChannelId id = 0; id < static_cast<ChannelId>(topology_.channels().size()); ++id) {
      const std::size_t slot = slot_of(id);
      const ChannelId back = reverse_[static_cast<std::size_t>(id)];
      spec_.neighbours[slot] = topology_.channel(id).dst;
      spec_.back[slot] = static_cast<std::uint8_t>(topology_.channel(back).src_port);
    }
  }

  // Calls visit(slot, step, tree) for each message until it returns false. Returns whether all messages were
  // visited.
  template <typename Visit>
  bool for_each_message(Visit visit) const {
    for (std::size_t tree = 0; tree < trees_.trees.size(); ++tree) {
      for (const TreeEdge& edge : trees_.trees[tree]) {
        if (spec_.reduce_steps > 0) {
          const std::size_t up = slot_of(reverse_[static_cast<std::size_t>(edge.channel)]);
          if (!visit(up, trees_.steps + 1 - edge.step, tree)) return false;
        }
        if (request_.collective == Collective::kReduceScatter) continue;
        if (!visit(slot_of(edge.channel), gathers_after_ + edge.step, tree)) return false;
      }
    }
    return true;
  }

  // Returns false if a tree reaches an accelerator twice, or not at all.
  bool place_accelerators() {
    const std::size_t trees = trees_.trees.size();
    const auto accelerators = static_cast<std::size_t>(topology_.num_accelerators());
    spec_.places.resize(accelerators * trees);
    for (std::size_t tree = 0; tree < trees; ++tree) {
      if (trees_.trees[tree].size() + 1 != accelerators) return false;
      for (const TreeEdge& edge : trees_.trees[tree]) {
        TreeTables::Place& child = spec_.places[static_cast<std::size_t>(edge.child) * trees + tree];
        if (child.up != TreeTables::Place::kRoot) return false;
        child.up = spec_.back[slot_of(edge.channel)];
        if (spec_.reduce_steps > 0)
          ++spec_.places[static_cast<std::size_t>(edge.parent) * trees + tree].children;
      }
    }
    return true;
  }

  // Numbers routes in the order of their first use. Several channels may have equal routes.
  std::vector<topology::Route> number_routes() {
    // (step, tree, edge of the tree).
    using Use = std::tuple<std::int32_t, std::size_t, std::size_t, ChannelId>;
    std::vector<Use> used;
    for (ChannelId id = 0; id < static_cast<ChannelId>(topology_.channels().size()); ++id) {
      const std::size_t slot = slot_of(id);
      if (size_of_slot_[slot] == 0) continue;
      const auto [step, tree] = first_use_[slot];
      used.emplace_back(step, tree, place_in_tree(id, step, tree), id);
    }
    std::ranges::sort(used);
    std::vector<topology::Route> routes;
    spec_.routes.assign(slots(), -1);
    for (const auto& [step, tree, edge, id] : used) {
      const topology::Route route = route_over(topology_, request_, id);
      const auto known = std::ranges::find(routes, route);
      spec_.routes[slot_of(id)] = static_cast<std::int32_t>(known - routes.begin());
      if (known == routes.end()) routes.push_back(route);
    }
    return routes;
  }

  // Returns the position, in the tree, of the edge that uses the channel first.
  std::size_t place_in_tree(ChannelId id, std::int32_t step, std::size_t tree) const {
    const bool up = step <= static_cast<std::int32_t>(spec_.reduce_steps);
    const ChannelId down = up ? reverse_[static_cast<std::size_t>(id)] : id;
    const auto& edges = trees_.trees[tree];
    return static_cast<std::size_t>(std::ranges::find(edges, down, &TreeEdge::channel) - edges.begin());
  }

  const Topology& topology_;
  const CompileRequest& request_;
  const Trees& trees_;
  int gathers_after_;
  int steps_;
  std::vector<ChannelId> reverse_;
  std::vector<std::int32_t> size_of_slot_;
  std::vector<std::pair<std::int32_t, std::size_t>> first_use_;  // [slot]: (step, tree)
  TreeTables::Spec spec_;
};

}  // namespace

bool may_pack_trees(const Topology& topology, const CompileRequest& request, int pieces) {
  const int accelerators = topology.num_accelerators();
  const std::int64_t trees = std::int64_t{accelerators} * std::max(pieces, 1);
  if (request.root >= 0 || accelerators <= request.pattern_beyond || trees > TreeTables::kMostTrees) {
    return false;
  }
  if (!topology::info_of(topology.kind()).grid || topology.num_nodes() != accelerators) return false;
  const auto ports = static_cast<std::size_t>(request.ni_ports);
  if (request.ni_ports >= TreeTables::kMostPorts) return false;
  for (NodeId node = 0; node < accelerators; ++node) {
    if (topology.out_channels(node).size() > ports) return false;
  }
  return true;
}

std::optional<Schedule> pack_trees(const Topology& topology, const CompileRequest& request,
                                   const std::string& algorithm, std::span<const Chunk> flows,
                                   const Trees& trees) {
  if (trees.root >= 0 || !may_pack_trees(topology, request, trees.pieces)) return std::nullopt;
  const bool over_channels = std::ranges::all_of(trees.trees, [](const auto& tree) {
    return std::ranges::all_of(tree, [](const TreeEdge& edge) { return edge.channel >= 0; });
  });
  const bool all_carry = std::ranges::all_of(flows, [](const Chunk& flow) { return flow.bytes > 0; });
  if (!over_channels || !all_carry) return std::nullopt;
  Packer packer(topology, request, flows, trees);
  if (!packer.pack()) return std::nullopt;
  return packer.schedule(algorithm);
}

}  // namespace coppice::schedule
