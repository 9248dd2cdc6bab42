#include "topology/networks/grid_detours.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "topology/routing/tie_bits.h"

namespace coppice::topology {
namespace {

// The coordinates and distances of nodes in a torus, mesh or ring.
class Grid {
 public:
  explicit Grid(const Topology& topology) : dims_(topology.dims()), wraps_(topology.kind() != Kind::kMesh) {
    for (NodeId node = 0; node < topology.num_nodes(); ++node) {
      const std::vector<int> at = topology.coordinates(node);
      coordinates_.insert(coordinates_.end(), at.begin(), at.end());
      num_out_channels_.push_back(static_cast<int>(topology.out_channels(node).size()));
    }
    int stride = 1;
    for (const int width : dims_) {
      strides_.push_back(stride);
      stride *= width;
    }
  }

  std::size_t dimensions() const { return dims_.size(); }
  bool ejects(NodeId at, const Hop& hop) const {
    return hop.out_port >= num_out_channels_[static_cast<std::size_t>(at)];
  }
  // Returns the node whose coordinate in dimension d is that of `dst`, and whose other coordinates are those
  // of `at`.
  NodeId moved(NodeId at, NodeId dst, std::size_t d) const {
    return at + (coordinate(dst, d) - coordinate(at, d)) * strides_[d];
  }
  int distance(NodeId a, NodeId b) const {
    int total = 0;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const int apart = std::abs(coordinate(a, d) - coordinate(b, d));
      total += wraps_ ? std::min(apart, dims_[d] - apart) : apart;
    }
    return total;
  }

 private:
  int coordinate(NodeId node, std::size_t d) const {
    return coordinates_[static_cast<std::size_t>(node) * dims_.size() + d];
  }

  std::vector<int> dims_;
  bool wraps_;
  std::vector<int> coordinates_;  // [node * dimensions + d]
  std::vector<int> num_out_channels_;
  std::vector<int> strides_;
};

VcRange shifted(VcRange vcs, int by) {
  return {static_cast<std::uint8_t>(vcs.begin + by), static_cast<std::uint8_t>(vcs.end + by)};
}

// Dimension-order routing that uses all virtual channels except the first `shift`.
class ShiftedRouting final : public RoutingFunction {
 public:
  ShiftedRouting(const RoutingFunction& routing, int shift) : routing_(&routing), shift_(shift) {}
  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    Hop hop = routing_->next_hop(at, dst, state, ejection_port);
    hop.vcs = shifted(hop.vcs, shift_);
    return hop;
  }
  int num_tie_bits() const override { return routing_->num_tie_bits(); }
  int num_vcs() const override { return routing_->num_vcs() + shift_; }

 private:
  const RoutingFunction* routing_;
  int shift_;
};

// Dimension-order routing that treats every router as the packet's source. At a dateline, the packet moves
// from the upper half of the virtual channels to the lower half.
class RestartedRouting final : public RoutingFunction {
 public:
  explicit RestartedRouting(const RoutingFunction& routing) : routing_(&routing) {}
  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    RouteState fresh{.tie_bits = state.tie_bits};
    const Hop hop = routing_->next_hop(at, dst, fresh, ejection_port);
    state = fresh;
    return hop;
  }
  int num_tie_bits() const override { return routing_->num_tie_bits(); }
  int num_vcs() const override { return routing_->num_vcs(); }

 private:
  const RoutingFunction* routing_;
};

// Dimension-order routing to a random node and from there to the destination.
class NodeDetour final : public DetourRouting {
 public:
  NodeDetour(const Topology& topology, int vcs, bool by_load)
      : grid_(topology),
        nodes_(topology.num_nodes()),
        vcs_(vcs),
        second_shift_(vcs - vcs / 2),
        by_load_(by_load),
        first_(make_dimension_order_routing(topology, second_shift_)),
        second_(make_dimension_order_routing(topology, vcs / 2)),
        shifted_(*second_, second_shift_) {}

  int num_vcs() const override { return vcs_; }

  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    const NodeId middle = drawn(state, nodes_);
    if (!passed(state) && at == middle) pass(state);
    return step(at, passed(state) ? dst : middle, state, ejection_port);
  }

  NextHops ways(NodeId at, NodeId dst, RouteState& state, int ejection_port,
                const OutputLoads& loads) const override {
    const bool first_router = state.dimension < 0 && !passed(state);
    if (by_load_ && first_router && goes_straight(at, dst, state, loads)) pass(state);
    return {next_hop(at, dst, state, ejection_port)};
  }

  void advance_state(RouteState& /*state*/) const override {}

  // Packets move from the first half of the virtual channels to the second half but never back.
  void add_dependencies(ChannelDependencyGraph& graph) const override {
    graph.add_all_pairs(*first_);
    graph.add_all_pairs(shifted_);
  }

 private:
  static void pass(RouteState& state) {
    state.tie_bits |= kPassed;
    state.dimension = -1;
  }

  Hop step(NodeId at, NodeId target, RouteState& state, int ejection_port) const {
    constexpr int kTiesOfFirst = 4;
    RouteState part = state;
    if (passed(state)) part.tie_bits >>= kTiesOfFirst;
    const RoutingFunction& routing = passed(state) ? static_cast<const RoutingFunction&>(shifted_) : *first_;
    Hop hop = routing.next_hop(at, target, part, ejection_port);
    if (grid_.ejects(at, hop)) hop.vcs = {0, static_cast<std::uint8_t>(vcs_)};
    part.tie_bits = state.tie_bits;
    state = part;
    return hop;
  }

  // Whether the product of waiting flits and channels is no larger on the shortest path than on the detour.
  bool goes_straight(NodeId at, NodeId dst, const RouteState& state, const OutputLoads& loads) const {
    const NodeId middle = drawn(state, nodes_);
    if (at == middle || at == dst) return true;
    RouteState straight = state;
    pass(straight);
    RouteState around = state;
    const int shortest = loads.waiting(step(at, dst, straight, 0).out_port) * grid_.distance(at, dst);
    const int other = loads.waiting(step(at, middle, around, 0).out_port) *
                      (grid_.distance(at, middle) + grid_.distance(middle, dst));
    return shortest <= other;
  }

  Grid grid_;
  int nodes_;
  int vcs_;
  int second_shift_;
  bool by_load_;
  std::unique_ptr<RoutingFunction> first_;
  std::unique_ptr<RoutingFunction> second_;
  ShiftedRouting shifted_;
};

// Routes over any shortest path on the upper virtual channels, and in dimension order on the reserved first
// virtual channels. RouteState::dimension is 0 once the packet uses a reserved virtual channel.
class ShortestHops final : public DetourRouting {
 public:
  ShortestHops(const Topology& topology, int vcs)
      : grid_(topology),
        vcs_(vcs),
        ordered_vcs_(min_vcs(topology)),
        ordered_(make_dimension_order_routing(topology, ordered_vcs_)),
        restarted_(*ordered_) {}

  int num_vcs() const override { return vcs_; }

  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    RouteState part = state;
    Hop hop = restarted_.next_hop(at, dst, part, ejection_port);
    if (grid_.ejects(at, hop)) hop.vcs = {0, static_cast<std::uint8_t>(vcs_)};
    return hop;
  }

  NextHops ways(NodeId at, NodeId dst, RouteState& state, int ejection_port,
                const OutputLoads& /*loads*/) const override {
    NextHops ways{next_hop(at, dst, state, ejection_port)};
    if (at == dst || state.dimension >= 0) return ways;
    const std::size_t dimensions = grid_.dimensions();
    const std::size_t first = static_cast<std::size_t>(drawn(state, static_cast<int>(dimensions)));
    for (std::size_t i = 0; i < dimensions; ++i) {
      const NodeId target = grid_.moved(at, dst, (first + i) % dimensions);
      if (target == at) continue;
      RouteState part{.tie_bits = state.tie_bits};
      Hop hop = ordered_->next_hop(at, target, part, ejection_port);
      hop.vcs = {static_cast<std::uint8_t>(ordered_vcs_), static_cast<std::uint8_t>(vcs_)};
      ways.adaptive.push_back(hop);
    }
    return ways;
  }

  void advance_state(RouteState& state) const override { state.dimension = 0; }
  void add_dependencies(ChannelDependencyGraph& graph) const override { graph.add_all_pairs(restarted_); }

 private:
  Grid grid_;
  int vcs_;
  int ordered_vcs_;
  std::unique_ptr<RoutingFunction> ordered_;
  RestartedRouting restarted_;
};

}  // namespace

std::unique_ptr<DetourRouting> make_grid_detours(const Topology& topology, int vcs, Detours detours) {
  const int classes = min_vcs(topology);
  const bool adaptive = detours == Detours::kAdaptive;
  if (const int least = adaptive ? classes + 1 : 2 * classes; vcs < least) {
    throw UnsupportedError(fmt::format(
        "{} virtual channels are too few on {}: it needs at least {}, {}", vcs, topology.name(), least,
        adaptive ? "one more than dimension-order routing" : "half for each part of a packet's path"));
  }
  if (adaptive) return std::make_unique<ShortestHops>(topology, vcs);
  return std::make_unique<NodeDetour>(topology, vcs, detours == Detours::kUgal);
}

}  // namespace coppice::topology
