#include "topology/routing/table_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/error.h"
#include "topology/connectivity.h"
#include "topology/routing/balanced_paths.h"
#include "topology/routing/layered_dependencies.h"

namespace coppice::topology {
namespace {

constexpr int kMaxVcs = 255;    // VcRange stores them in 8 bits
constexpr int kMaxLayers = 32;  // layer masks have 32 bits

// The next hop of a packet, its virtual channels, and the packet's next state.
struct Entry {
  std::uint16_t out_port = 0;
  VcRange vcs;
  std::uint8_t next_state = 0;
};

class TableRouting final : public RoutingFunction {
 public:
  TableRouting(const Topology& topology, int vcs, int states)
      : nodes_(static_cast<std::size_t>(topology.num_nodes())),
        all_{0, static_cast<std::uint8_t>(vcs)},
        states_(static_cast<std::size_t>(states)),
        entries_(static_cast<std::size_t>(topology.num_accelerators()) * nodes_ * states_) {
    for (NodeId node = 0; node < topology.num_nodes(); ++node) {
      num_out_channels_.push_back(static_cast<int>(topology.out_channels(node).size()));
    }
  }

  Entry& entry(NodeId at, NodeId dst, int state) { return entries_[index(at, dst, state)]; }

  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    if (at == dst) {
      const int port = num_out_channels_[static_cast<std::size_t>(at)] + ejection_port;
      return {.out_port = static_cast<std::uint16_t>(port), .vcs = all_};
    }
    const Entry& entry = entries_[index(at, dst, state.dateline_class)];
    state.dateline_class = entry.next_state;
    return {.out_port = entry.out_port, .vcs = entry.vcs};
  }

  int num_tie_bits() const override { return 0; }
  int num_vcs() const override { return all_.end; }

 private:
  std::size_t index(NodeId at, NodeId dst, int state) const {
    return (static_cast<std::size_t>(dst) * nodes_ + static_cast<std::size_t>(at)) * states_ +
           static_cast<std::size_t>(state);
  }

  std::size_t nodes_;
  VcRange all_;
  std::size_t states_;
  std::vector<Entry> entries_;  // [(dst * nodes + at) * states + state]
  std::vector<int> num_out_channels_;
};

// Finds the shortest paths to all destinations and the layer of every hop, with as many layers as needed.
class LayeredPaths {
 public:
  LayeredPaths(const Topology& topology, int max_layers)
      : topology_(&topology),
        max_layers_(max_layers),
        dependencies_(topology, max_layers),
        first_(topology.channels().size(), true),
        last_(topology.channels().size(), true) {}

  // Finds the paths. Returns whether `max_layers` layers were sufficient.
  bool find();

  std::unique_ptr<TableRouting> table(int vcs) const;

 private:
  // A channel, and a bit mask of the layers in which packets to a destination arrive over the channel.
  struct Arrival {
    ChannelId channel = -1;
    std::uint32_t layers = 0;
  };
  // The decision for a destination and a node: the next channel, and the layer on that channel for each layer
  // in which packets arrive.
  struct Step {
    ChannelId channel = -1;
    std::vector<std::uint8_t> layer_after;
  };

  bool assign_layers(NodeId destination, const PathTree& tree);
  int layer_after(const std::vector<Arrival>& arrivals, ChannelId next, int layer);

  const Topology* topology_;
  int max_layers_;
  LayeredDependencies dependencies_;
  std::vector<bool> first_;  // [channel]: whether no packet arrives at it from another channel
  std::vector<bool> last_;   // [channel]: whether no packet continues from it to another channel
  int num_layers_ = 1;
  std::vector<Step> steps_;  // [dst * nodes + at]
};

// Returns the next layer of packets that arrive in `layer`. They stay in this layer unless that would close a
// cycle.
int LayeredPaths::layer_after(const std::vector<Arrival>& arrivals, ChannelId next, int layer) {
  const auto in_layer = [&](const Arrival& arrival) { return ((arrival.layers >> layer) & 1U) != 0; };
  const bool stays = std::ranges::all_of(arrivals, [&](const Arrival& arrival) {
    return !in_layer(arrival) || dependencies_.allows(arrival.channel, next, layer);
  });
  if (!stays) return layer + 1;
  for (const Arrival& arrival : arrivals) {
    if (in_layer(arrival)) dependencies_.add(arrival.channel, next, layer);
  }
  return layer;
}

bool LayeredPaths::assign_layers(NodeId destination, const PathTree& tree) {
  const auto nodes = static_cast<std::size_t>(topology_->num_nodes());
  std::vector<std::vector<Arrival>> arrivals(nodes);
  const std::size_t base = static_cast<std::size_t>(destination) * nodes;
  for (const NodeId node : tree.far_to_near) {
    const ChannelId next = tree.next[static_cast<std::size_t>(node)];
    const auto& here = arrivals[static_cast<std::size_t>(node)];
    Step& step = steps_[base + static_cast<std::size_t>(node)];
    step.channel = next;
    std::uint32_t occupied = topology_->is_accelerator(node) ? 1U : 0U;
    for (const Arrival& arrival : here) occupied |= arrival.layers;
    std::uint32_t occupied_after = 0;
    for (; occupied != 0; occupied &= occupied - 1) {
      const int layer = std::countr_zero(occupied);
      const int after = layer_after(here, next, layer);
      if (after >= max_layers_) return false;
      num_layers_ = std::max(num_layers_, after + 1);
      occupied_after |= 1U << after;
      step.layer_after.resize(static_cast<std::size_t>(layer) + 1);
      step.layer_after.back() = static_cast<std::uint8_t>(after);
    }
    if (occupied_after == 0) continue;
    for (const Arrival& arrival : here) {
      first_[static_cast<std::size_t>(next)] = false;
      last_[static_cast<std::size_t>(arrival.channel)] = false;
    }
    const NodeId dst = topology_->channel(next).dst;
    arrivals[static_cast<std::size_t>(dst)].push_back({next, occupied_after});
  }
  return true;
}

bool LayeredPaths::find() {
  const PathRules rules = any_path(*topology_);
  BalancedPaths paths(*topology_, rules);
  steps_.resize(static_cast<std::size_t>(topology_->num_accelerators()) *
                static_cast<std::size_t>(topology_->num_nodes()));
  for (const NodeId dst : in_order_of_switches(*topology_)) {
    if (!assign_layers(dst, paths.paths_to(dst))) return false;
  }
  return true;
}

std::unique_ptr<TableRouting> LayeredPaths::table(int vcs) const {
  auto routing = std::make_unique<TableRouting>(*topology_, vcs, num_layers_);
  const auto bound = [&](int layer) { return static_cast<std::uint8_t>(layer * vcs / num_layers_); };
  const auto nodes = static_cast<std::size_t>(topology_->num_nodes());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    for (std::size_t layer = 0; layer < step.layer_after.size(); ++layer) {
      const int after = step.layer_after[layer];
      // A channel on which all paths start, or on which all paths end, cannot be part of a cycle.
      const bool open =
          first_[static_cast<std::size_t>(step.channel)] || last_[static_cast<std::size_t>(step.channel)];
      routing->entry(static_cast<NodeId>(i % nodes), static_cast<NodeId>(i / nodes),
                     static_cast<int>(layer)) = {
          .out_port = static_cast<std::uint16_t>(topology_->channel(step.channel).src_port),
          .vcs = open ? VcRange{0, static_cast<std::uint8_t>(vcs)} : VcRange{bound(after), bound(after + 1)},
          .next_state = static_cast<std::uint8_t>(after)};
    }
  }
  return routing;
}

std::unique_ptr<TableRouting> make_up_down_routing(const Topology& topology, int vcs) {
  const PathRules rules = up_down_paths(topology);
  BalancedPaths paths(topology, rules);
  auto routing = std::make_unique<TableRouting>(topology, vcs, rules.phases);
  for (const NodeId dst : in_order_of_switches(topology)) {
    const PathTree tree = paths.paths_to(dst);
    for (NodeId src = 0; src < topology.num_accelerators(); ++src) {
      if (src == dst || tree.next[rules.index(src, 0)] >= 0) continue;
      throw UnsupportedError(fmt::format(
          "{}: there is no deadlock-free routing from accelerator {} to {} with {} virtual channels: add "
          "virtual channels, or channels in both directions",
          topology.name(), src, dst, vcs));
    }
    for (const std::int32_t state : tree.far_to_near) {
      const ChannelId next = tree.next[static_cast<std::size_t>(state)];
      const int phase = state % rules.phases;
      routing->entry(state / rules.phases, dst, phase) = {
          .out_port = static_cast<std::uint16_t>(topology.channel(next).src_port),
          .vcs = {0, static_cast<std::uint8_t>(vcs)},
          .next_state = static_cast<std::uint8_t>(rules.phase_after(next, phase))};
    }
  }
  return routing;
}

}  // namespace

std::unique_ptr<RoutingFunction> make_table_routing(const Topology& topology, int vcs) {
  if (vcs < 1 || vcs > kMaxVcs) {
    throw UnsupportedError(fmt::format("{} virtual channels are not supported on {}: use 1 to {}", vcs,
                                       topology.name(), kMaxVcs));
  }
  require_connected(topology);
  LayeredPaths paths(topology, std::min(vcs, kMaxLayers));
  if (paths.find()) return paths.table(vcs);
  return make_up_down_routing(topology, vcs);
}

}  // namespace coppice::topology
