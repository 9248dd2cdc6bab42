#include "topology/routing/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace coppice::topology {
namespace {

constexpr int kMaxVcs = 255;  // VcRange stores them in 8 bits

bool has_dimension_order(const Topology& topology) {
  return topology.kind() == Kind::kTorus || topology.kind() == Kind::kMesh || topology.kind() == Kind::kRing;
}

// In a torus dimension of width 2, both neighbours of a node are the same node, so there is no ring.
bool is_ring_of(const Topology& topology, int width) {
  return topology.kind() != Kind::kMesh && width >= 3;
}

class DimensionOrderRouting final : public RoutingFunction {
 public:
  DimensionOrderRouting(const Topology& topology, int vcs);

  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    const auto here_base = static_cast<std::size_t>(at) * dimensions_;
    const std::int32_t* here = &coordinates_[here_base];
    const std::int32_t* there = &coordinates_[static_cast<std::size_t>(dst) * dimensions_];
    // All dimensions below the current one have already been traversed.
    std::size_t d = state.dimension < 0 ? 0 : static_cast<std::size_t>(state.dimension);
    while (d < dimensions_ && here[d] == there[d]) ++d;
    if (d == dimensions_) {
      const auto port = ejection_base_[static_cast<std::size_t>(at)] + ejection_port;
      return {.out_port = static_cast<std::uint16_t>(port), .vcs = all_};
    }
    if (static_cast<int>(d) != state.dimension) turn(d, here[d], there[d], state);
    return {.out_port = ports_[(here_base + d) * 2 + static_cast<std::size_t>(state.direction)],
            .vcs = lines_[d].vcs[state.dateline_class]};
  }

  int num_tie_bits() const override { return num_tie_bits_; }
  int num_vcs() const override { return all_.end; }

 private:
  // A dimension: its width, whether it wraps around, and the virtual channels of each dateline class.
  struct Line {
    std::int32_t width = 1;
    bool wraps = false;
    std::array<VcRange, 2> vcs;
  };

  // Chooses the direction and the dateline class when a packet enters dimension d.
  void turn(std::size_t d, std::int32_t here, std::int32_t there, RouteState& state) const {
    const Line& line = lines_[d];
    bool down = there < here;
    bool crosses = false;
    if (line.wraps) {
      const std::int32_t ahead = there - here;
      const std::int32_t slack = line.width - 2 * (ahead < 0 ? ahead + line.width : ahead);
      down = slack < 0 || (slack == 0 && ((state.tie_bits >> d) & 1U) != 0);
      crosses = down ? here < there : here > there;
    }
    state.dimension = static_cast<std::int8_t>(d);
    state.direction = down ? 1 : 0;
    state.dateline_class = crosses ? 1 : 0;
  }

  std::size_t dimensions_;
  VcRange all_;
  int num_tie_bits_ = 0;
  std::vector<Line> lines_;
  std::vector<std::int32_t> coordinates_;    // [node * dimensions + d]
  std::vector<std::uint16_t> ports_;         // [(node * dimensions + d) * 2 + direction]
  std::vector<std::int32_t> ejection_base_;  // [node]: number of outgoing channels
};

DimensionOrderRouting::DimensionOrderRouting(const Topology& topology, int vcs)
    : dimensions_(topology.dims().size()), all_{0, static_cast<std::uint8_t>(vcs)} {
  const auto upper = static_cast<std::uint8_t>(vcs - vcs / 2);
  const bool torus = topology.kind() != Kind::kMesh;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const int width = topology.dims()[d];
    const bool ring = is_ring_of(topology, width);
    lines_.push_back({.width = width,
                      .wraps = torus,
                      .vcs = {ring ? VcRange{0, upper} : all_, ring ? VcRange{upper, all_.end} : all_}});
    if (torus && width % 2 == 0) num_tie_bits_ = static_cast<int>(d) + 1;
  }
  const auto nodes = static_cast<std::size_t>(topology.num_nodes());
  coordinates_.reserve(nodes * dimensions_);
  ports_.resize(nodes * dimensions_ * 2);
  ejection_base_.reserve(nodes);
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    const std::vector<int> at = topology.coordinates(node);
    coordinates_.insert(coordinates_.end(), at.begin(), at.end());
    const auto out = topology.out_channels(node);
    ejection_base_.push_back(static_cast<std::int32_t>(out.size()));
    // Ports are ordered by dimension. In each dimension, the channel towards higher coordinates comes first.
    // Nodes at the edges of a mesh lack one of the two channels.
    std::size_t port = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const int width = topology.dims()[d];
      if (width == 1) continue;
      const std::size_t entry = (static_cast<std::size_t>(node) * dimensions_ + d) * 2;
      if (torus || at[d] + 1 < width) ports_[entry] = static_cast<std::uint16_t>(port++);
      if (torus || at[d] > 0) ports_[entry + 1] = static_cast<std::uint16_t>(port++);
    }
    if (port != out.size()) {
      throw UnsupportedError(
          fmt::format("dimension-order routing on {}: node {} has {} outgoing channels, not {}",
                      topology.name(), node, out.size(), port));
    }
  }
}

}  // namespace

int min_vcs(const Topology& topology) {
  for (std::size_t d = 0; d < topology.dimension_kinds().size(); ++d) {
    if (is_ring(topology.dimension_kinds()[d]) && topology.dims()[d] >= 3) return 2;
  }
  return has_dimension_order(topology) &&
                 std::ranges::any_of(topology.dims(), [&](int width) { return is_ring_of(topology, width); })
             ? 2
             : 1;
}

std::unique_ptr<RoutingFunction> make_dimension_order_routing(const Topology& topology, int vcs) {
  if (!has_dimension_order(topology)) {
    throw UnsupportedError(
        fmt::format("dimension-order routing needs a torus, mesh or ring, not {}", topology.name()));
  }
  if (const int least = min_vcs(topology); vcs < least || vcs > kMaxVcs) {
    throw UnsupportedError(fmt::format("{} virtual channels are not supported on {}: use {} to {}{}", vcs,
                                       topology.name(), least, kMaxVcs,
                                       least > 1 ? " (two classes around the dateline of every ring)" : ""));
  }
  return std::make_unique<DimensionOrderRouting>(topology, vcs);
}

Route make_route(const Topology& topology, const RoutingFunction& routing, NodeId src, NodeId dst,
                 std::uint32_t tie_bits, int ejection_port) {
  Route route;
  RouteState state{.tie_bits = tie_bits};
  NodeId at = src;
  while (true) {
    route.push_back(routing.next_hop(at, dst, state, ejection_port));
    const auto out = topology.out_channels(at);
    const std::size_t port = route.back().out_port;
    if (port >= out.size()) break;
    at = topology.channel(out[port]).dst;
    // A longer route would use a channel twice.
    if (route.size() > topology.channels().size()) break;
  }
  if (at != dst || route.size() > topology.channels().size() + 1) {
    throw ModelError(
        fmt::format("routing from {} to {} on {} does not reach the destination: after {} hops it is at {}",
                    src, dst, topology.name(), route.size(), at));
  }
  return route;
}

}  // namespace coppice::topology
