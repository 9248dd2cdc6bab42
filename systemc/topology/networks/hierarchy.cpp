#include "topology/networks/hierarchy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "topology/dims.h"

namespace coppice::topology {
namespace {

[[noreturn]] void refuse(std::size_t d, const std::string& what) {
  throw UnsupportedError(fmt::format("dimension {} of a hierarchy: {}", d, what));
}

// Returns the number of bundles per accelerator.
int bundles(DimensionKind kind, int size) {
  switch (kind) {
    case DimensionKind::kRing:
      return 2;
    case DimensionKind::kFullyConnected:
      return size - 1;
    case DimensionKind::kOneWayRing:
    case DimensionKind::kSwitch:
      return 1;
  }
  return 1;
}

// Returns the number of equal parallel channels in each direction.
int parallel_channels(const DimensionSpec& spec) {
  return spec.bundled ? 1 : spec.links;
}

int switches_of_group(const DimensionSpec& spec) {
  return spec.planes ? parallel_channels(spec) : 1;
}

int channels_of(const DimensionSpec& spec) {
  return bundles(spec.kind, spec.size) * parallel_channels(spec);
}

// Returns the number of accelerators. Throws if there are too many accelerators or channels.
int count_nodes(std::span<const DimensionSpec> dimensions, std::span<const int> dims) {
  std::int64_t accelerators = 1;
  for (const int size : dims) accelerators = std::min(accelerators * size, kMaxNodes + 1);
  std::int64_t nodes = accelerators;
  std::int64_t channels = 0;
  for (const DimensionSpec& spec : dimensions) {
    const bool switched = spec.kind == DimensionKind::kSwitch;
    if (switched) nodes += accelerators / spec.size * switches_of_group(spec);
    channels += accelerators * channels_of(spec) * (switched ? 2 : 1);
  }
  require_size(Kind::kHierarchy, dims, nodes, channels);
  return static_cast<int>(accelerators);
}

class HierarchyRouting final : public RoutingFunction {
 public:
  HierarchyRouting(const Topology& topology, int vcs)
      : hierarchy_(topology),
        accelerators_(topology.num_accelerators()),
        ejection_base_(static_cast<int>(topology.out_channels(0).size())),
        all_{0, static_cast<std::uint8_t>(vcs)},
        middle_(static_cast<std::uint8_t>(vcs - vcs / 2)) {}

  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    if (at >= accelerators_) {
      return hop(hierarchy_.coordinate(dst, hierarchy_.dimension_of_switch(at)), all_);
    }
    std::size_t d = 0;
    const auto dimensions = hierarchy_.dimensions();
    while (d < dimensions.size() && hierarchy_.coordinate(at, d) == hierarchy_.coordinate(dst, d)) ++d;
    if (d == dimensions.size()) return hop(ejection_base_ + ejection_port, all_);
    const auto& dimension = dimensions[d];
    const int here = hierarchy_.coordinate(at, d);
    const int there = hierarchy_.coordinate(dst, d);
    state.dimension = static_cast<std::int8_t>(d);
    const int ahead = (there - here + dimension.size) % dimension.size;
    switch (dimension.kind) {
      case DimensionKind::kRing:
      case DimensionKind::kOneWayRing:
        return ring_hop(d, here, there, ahead, state);
      case DimensionKind::kFullyConnected:
        return hop(dimension.first_port + ahead - 1, all_);
      case DimensionKind::kSwitch:
        break;
    }
    return hop(dimension.first_port, all_);
  }

  int num_tie_bits() const override { return static_cast<int>(hierarchy_.dimensions().size()); }
  int num_vcs() const override { return all_.end; }

 private:
  static Hop hop(int port, VcRange vcs) { return {.out_port = static_cast<std::uint16_t>(port), .vcs = vcs}; }

  // A packet that has entered a ring keeps its direction. To prevent cycles, it uses the upper half of the
  // virtual channels before it crosses the dateline. It uses the lower half after crossing the dateline, or
  // if it does not cross it at all.
  Hop ring_hop(std::size_t d, int here, int there, int ahead, const RouteState& state) const {
    const auto& ring = hierarchy_.dimensions()[d];
    const int slack = ring.size - 2 * ahead;
    const bool shorter = slack < 0 || (slack == 0 && ((state.tie_bits >> d) & 1U) != 0);
    const bool down = shorter && ring.kind == DimensionKind::kRing;
    const bool crosses = down ? here < there : here > there;
    const VcRange half = crosses ? VcRange{middle_, all_.end} : VcRange{0, middle_};
    return hop(ring.first_port + (down ? 1 : 0), ring.size < 3 ? all_ : half);
  }

  Hierarchy hierarchy_;
  int accelerators_;
  int ejection_base_;
  VcRange all_;
  std::uint8_t middle_;
};

}  // namespace

void require_dimension(std::size_t d, const DimensionSpec& spec) {
  if (spec.size < 2) refuse(d, fmt::format("its size is {}, but must be at least 2", spec.size));
  if (spec.bandwidth.bytes_per_second <= 0) refuse(d, "its bandwidth must be above 0");
  if (spec.latency < 0) refuse(d, "its latency must not be negative");
  if (spec.in_network && spec.kind != DimensionKind::kSwitch) {
    refuse(d, fmt::format("a {} has no switch that could reduce data (in_network)", to_string(spec.kind)));
  }
  if (spec.in_network && !spec.bundled) {
    refuse(d,
           "in-network reduction (in_network) needs a single channel from each accelerator, so the links "
           "must be bundled");
  }
  if (spec.planes && spec.bundled) refuse(d, "links that lead to separate switches cannot be bundled");
  if (!spec.bundled && spec.kind != DimensionKind::kSwitch) {
    refuse(d, fmt::format("the links of a {} must be bundled: only links to a switch can be unbundled",
                          to_string(spec.kind)));
  }
  const int ways = bundles(spec.kind, spec.size);
  if (spec.links < 1 || spec.links % ways != 0) {
    refuse(d, fmt::format("a {} of {} has links in {} direction{} from every accelerator: {} link{} cannot "
                          "be divided evenly, but {} can",
                          to_string(spec.kind), spec.size, ways, ways == 1 ? "" : "s", spec.links,
                          spec.links == 1 ? "" : "s", (std::max(spec.links, 1) + ways - 1) / ways * ways));
  }
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(spec.bandwidth.bytes_per_second, spec.links, &sum)) {
    refuse(d, "the total bandwidth of its links is too large: use fewer or slower links");
  }
}

Bandwidth channel_bandwidth(const DimensionSpec& spec) {
  if (!spec.bundled) return spec.bandwidth;
  return {spec.bandwidth.bytes_per_second * (spec.links / bundles(spec.kind, spec.size))};
}

namespace {

// Adds one link from every accelerator to a switch in dimension `d`. `beyond` is the difference between the
// number of this switch and that of the accelerator's first switch in the dimension.
void join_to_switches(Topology& topology, const Hierarchy& hierarchy, std::size_t d,
                      const DimensionSpec& spec, int beyond = 0) {
  const Bandwidth bandwidth = channel_bandwidth(spec);
  const Femtoseconds up = spec.latency / 2;
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    const NodeId hub = hierarchy.switch_of(node, d) + beyond;
    topology.add_channel(node, hub, bandwidth, up, static_cast<int>(d));
    topology.add_channel(hub, node, bandwidth, spec.latency - up, static_cast<int>(d));
  }
}

void reduce_in_network(Topology& topology, std::span<const DimensionSpec> dimensions) {
  std::vector<bool> adds;
  int switches = 0;
  for (const DimensionSpec& spec : dimensions) {
    adds.push_back(spec.in_network);
    if (spec.in_network) switches += topology.num_accelerators() / spec.size;
  }
  if (switches > 0) topology.reduce_in_network(std::move(adds), switches);
}

}  // namespace

Topology make_hierarchy(std::span<const DimensionSpec> dimensions) {
  if (dimensions.empty()) throw UnsupportedError("a hierarchy needs at least one dimension");
  std::vector<int> dims;
  std::vector<DimensionKind> kinds;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    require_dimension(d, dimensions[d]);
    dims.push_back(dimensions[d].size);
    kinds.push_back(dimensions[d].kind);
  }
  const int accelerators = count_nodes(dimensions, dims);
  int switches = 0;
  for (const DimensionSpec& spec : dimensions) {
    if (spec.kind == DimensionKind::kSwitch) switches += accelerators / spec.size * switches_of_group(spec);
  }
  Topology topology(Kind::kHierarchy, std::move(dims), accelerators, switches, std::move(kinds));
  reduce_in_network(topology, dimensions);
  const Hierarchy hierarchy(topology);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const DimensionSpec& spec = dimensions[d];
    const Bandwidth bandwidth = channel_bandwidth(spec);
    const int dimension = static_cast<int>(d);
    if (spec.kind == DimensionKind::kSwitch) {
      join_to_switches(topology, hierarchy, d, spec);
      continue;
    }
    // Adds the channels of one offset after another, so that all accelerators number their incoming channels
    // in the same order.
    for (int way = 1; way <= bundles(spec.kind, spec.size); ++way) {
      const int offset = spec.kind == DimensionKind::kRing && way == 2 ? spec.size - 1 : way;
      for (NodeId node = 0; node < accelerators; ++node) {
        const int there = (hierarchy.coordinate(node, d) + offset) % spec.size;
        topology.add_channel(node, hierarchy.peer(node, d, there), bandwidth, spec.latency, dimension);
      }
    }
  }
  NodeId next_switch = accelerators;
  for (const DimensionSpec& spec : dimensions) {
    if (spec.kind == DimensionKind::kSwitch) next_switch += accelerators / spec.size;
  }
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const DimensionSpec& spec = dimensions[d];
    for (int link = 1; link < parallel_channels(spec); ++link) {
      join_to_switches(topology, hierarchy, d, spec,
                       spec.planes ? next_switch - hierarchy.dimensions()[d].first_switch : 0);
      if (spec.planes) next_switch += accelerators / spec.size;
    }
  }
  return topology;
}

std::vector<std::vector<Lane>> lanes_of(const Topology& hierarchy) {
  const Hierarchy places(hierarchy);
  std::vector<std::vector<Lane>> lanes(places.dimensions().size());
  for (const ChannelId id : hierarchy.out_channels(0)) {
    const Channel& channel = hierarchy.channel(id);
    if (hierarchy.is_accelerator(channel.dst)) continue;
    // The switch numbers its channels to and from accelerators in the same order, and accelerator 0 has
    // coordinate 0.
    lanes[static_cast<std::size_t>(channel.dimension)].push_back({channel.src_port, channel.dst_port});
  }
  return lanes;
}

Hierarchy::Hierarchy(const Topology& topology) : accelerators_(topology.num_accelerators()) {
  if (topology.kind() != Kind::kHierarchy) {
    throw UnsupportedError(fmt::format(
        "{} has no dimensions that are separate networks: use topology.kind hierarchy", topology.name()));
  }
  int stride = 1;
  int port = 0;
  for (std::size_t d = 0; d < topology.dims().size(); ++d) {
    Dimension dimension{.kind = topology.dimension_kinds()[d],
                        .size = topology.dims()[d],
                        .stride = stride,
                        .first_port = port,
                        .ports = bundles(topology.dimension_kinds()[d], topology.dims()[d])};
    dimension.in_network = !topology.in_network().empty() && topology.in_network()[d];
    stride *= dimension.size;
    port += dimension.ports;
    dimensions_.push_back(dimension);
  }
  NodeId next_switch = accelerators_;
  for (const bool adds : {true, false}) {
    for (Dimension& dimension : dimensions_) {
      if (dimension.kind != DimensionKind::kSwitch || dimension.in_network != adds) continue;
      dimension.first_switch = next_switch;
      next_switch += accelerators_ / dimension.size;
    }
  }
}

NodeId Hierarchy::switch_of(NodeId accelerator, std::size_t d) const {
  const Dimension& dimension = dimensions_[d];
  const int above = accelerator / (dimension.stride * dimension.size);
  return dimension.first_switch + above * dimension.stride + accelerator % dimension.stride;
}

std::size_t Hierarchy::dimension_of_switch(NodeId node) const {
  std::size_t found = 0;
  NodeId first = kNoNode;  // first switch of the dimension
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (dimensions_[d].first_switch > node || dimensions_[d].first_switch <= first) continue;
    first = dimensions_[d].first_switch;
    found = d;
  }
  return found;
}

std::unique_ptr<RoutingFunction> make_hierarchy_routing(const Topology& topology, int vcs) {
  constexpr int kMaxVcs = 255;  // VcRange stores them in 8 bits
  if (const int least = min_vcs(topology); vcs < least || vcs > kMaxVcs) {
    throw UnsupportedError(fmt::format("{} virtual channels are not supported on {}: use {} to {}{}", vcs,
                                       topology.name(), least, kMaxVcs,
                                       least > 1 ? " (two classes around the dateline of every ring)" : ""));
  }
  return std::make_unique<HierarchyRouting>(topology, vcs);
}

}  // namespace coppice::topology
