#include "topology/structure/candidates.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/index.h"
#include "topology/networks/builders.h"

namespace coppice::topology {
namespace {

// A type of channel, given by bandwidth and latency. The fastest type sorts first.
struct Sort {
  Bandwidth bandwidth;
  Femtoseconds latency = 0;

  auto key() const { return std::pair(-bandwidth.bytes_per_second, latency); }
  bool operator<(const Sort& other) const { return key() < other.key(); }
  bool operator==(const Sort& other) const = default;
};

Sort sort_of(const Channel& channel) {
  return {channel.bandwidth, channel.latency};
}

// The numbers of nodes at distances 0, 1, 2, ... from a node if only channels of one type are used.
using Spheres = std::vector<std::int64_t>;

Spheres spheres_around(const Topology& graph, NodeId start, const Sort& sort) {
  std::vector<bool> reached(index(graph.num_nodes()), false);
  std::vector<NodeId> sphere{start};
  reached[index(start)] = true;
  Spheres sizes;
  while (!sphere.empty()) {
    sizes.push_back(static_cast<std::int64_t>(sphere.size()));
    std::vector<NodeId> next;
    for (const NodeId node : sphere) {
      for (const ChannelId id : graph.out_channels(node)) {
        const Channel& channel = graph.channel(id);
        if (sort_of(channel) != sort || reached[index(channel.dst)]) continue;
        reached[index(channel.dst)] = true;
        next.push_back(channel.dst);
      }
    }
    sphere = std::move(next);
  }
  return sizes;
}

// Returns the number of nodes at each distance from the end of a line of `width` nodes, or from any node of a
// ring of `width` nodes.
Spheres spheres_of_row(int width, bool wraps) {
  if (!wraps) return Spheres(static_cast<std::size_t>(width), 1);
  Spheres sizes(static_cast<std::size_t>(width / 2) + 1, 2);
  sizes.front() = 1;
  if (width % 2 == 0) sizes.back() = 1;
  return sizes;
}

Spheres spheres_of_grid(const std::vector<int>& widths, bool wraps) {
  Spheres sizes{1};
  for (const int width : widths) {
    const Spheres row = spheres_of_row(width, wraps);
    Spheres both(sizes.size() + row.size() - 1, 0);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      for (std::size_t j = 0; j < row.size(); ++j) both[i + j] += sizes[i] * row[j];
    }
    sizes = std::move(both);
  }
  return sizes;
}

std::int64_t sum(const Spheres& sizes) {
  std::int64_t nodes = 0;
  for (const std::int64_t size : sizes) nodes += size;
  return nodes;
}

// Calls `visit` for every factorisation of `nodes` into `count` widths of at least 2 in ascending order.
void for_each_product(std::int64_t nodes, std::size_t count, std::vector<int>& widths,
                      const std::function<void(const std::vector<int>&)>& visit) {
  const int least = widths.empty() ? 2 : widths.back();
  if (count == 1) {
    if (nodes < least) return;
    widths.push_back(static_cast<int>(nodes));
    visit(widths);
    widths.pop_back();
    return;
  }
  for (int width = least; std::int64_t{width} * width <= nodes; ++width) {
    if (nodes % width != 0) continue;
    widths.push_back(width);
    for_each_product(nodes / width, count - 1, widths, visit);
    widths.pop_back();
  }
}

// Returns the widths of the dimensions whose channels have type `sort`, derived from the neighbourhood of
// `start`. If the grid does not wrap around, `start` must be a corner. The result is empty if no grid
// matches.
std::vector<int> widths_around(const Topology& graph, NodeId start, const Sort& sort, bool wraps) {
  std::size_t channels = 0;
  for (const ChannelId id : graph.out_channels(start)) {
    if (sort_of(graph.channel(id)) == sort) ++channels;
  }
  const std::size_t dimensions = wraps ? channels / 2 : channels;
  if (dimensions == 0 || (wraps && channels % 2 != 0)) return {};
  const Spheres around = spheres_around(graph, start, sort);
  std::vector<int> found;
  std::vector<int> widths;
  for_each_product(sum(around), dimensions, widths, [&](const std::vector<int>& product) {
    if (found.empty() && spheres_of_grid(product, wraps) == around) found = product;
  });
  return found;
}

std::set<Sort> sorts_of(const Topology& graph) {
  std::set<Sort> sorts;
  for (const Channel& channel : graph.channels()) sorts.insert(sort_of(channel));
  return sorts;
}

// Graphs with more types of channels than this are not compared with grids.
constexpr std::size_t kManySorts = 8;

void add_grid(const Topology& graph, bool wraps, std::vector<LikelyNetwork>& likely) {
  NodeId corner = 0;
  for (NodeId node = 1; node < graph.num_nodes(); ++node) {
    if (graph.out_channels(node).size() < graph.out_channels(corner).size()) corner = node;
  }
  std::vector<int> dims;
  std::vector<LinkSpec> links;
  std::int64_t nodes = 1;
  for (const Sort& sort : sorts_of(graph)) {
    const std::vector<int> widths = widths_around(graph, corner, sort, wraps);
    if (widths.empty()) return;
    for (const int width : widths) {
      dims.push_back(width);
      links.push_back({sort.bandwidth, sort.latency});
      nodes *= width;
    }
  }
  if (nodes != graph.num_nodes()) return;
  likely.push_back({wraps ? make_torus(dims, links) : make_mesh(dims, links)});
}

// A type of switch, which connects a group in one dimension of a hierarchy.
struct SwitchSort {
  int size = 0;   // number of accelerators
  int links = 0;  // number of links per accelerator
  Sort up;
  Sort down;

  auto key() const {
    return std::tuple(-up.bandwidth.bytes_per_second * links, up.latency + down.latency, size, links, up,
                      down);
  }
  bool operator<(const SwitchSort& other) const { return key() < other.key(); }
};

// Returns nullopt if the switch has a neighbour that is not an accelerator, or if its links to accelerators
// are not all alike.
std::optional<SwitchSort> sort_of_switch(const Topology& graph, NodeId node) {
  std::map<NodeId, std::array<std::vector<Sort>, 2>> links;  // channels to and from the switch
  for (const ChannelId id : graph.in_channels(node)) {
    links[graph.channel(id).src][0].push_back(sort_of(graph.channel(id)));
  }
  for (const ChannelId id : graph.out_channels(node)) {
    links[graph.channel(id).dst][1].push_back(sort_of(graph.channel(id)));
  }
  if (links.empty() || !graph.is_accelerator(links.rbegin()->first)) return std::nullopt;
  const auto& [up, down] = links.begin()->second;
  if (up.empty() || up.size() != down.size()) return std::nullopt;
  const std::vector<Sort> ups(up.size(), up.front());
  const std::vector<Sort> downs(down.size(), down.front());
  for (const auto& [accelerator, both] : links) {
    if (both[0] != ups || both[1] != downs) return std::nullopt;
  }
  return SwitchSort{static_cast<int>(links.size()), static_cast<int>(up.size()), ups.front(), downs.front()};
}

std::optional<DimensionSpec> switch_dimension(const SwitchSort& sort) {
  const Femtoseconds latency = sort.up.latency + sort.down.latency;
  if (sort.size < 2) return std::nullopt;
  if (sort.up.bandwidth != sort.down.bandwidth || sort.up.latency != latency / 2) return std::nullopt;
  return DimensionSpec{.kind = DimensionKind::kSwitch,
                       .size = sort.size,
                       .links = sort.links,
                       .bandwidth = sort.up.bandwidth,
                       .latency = latency,
                       .bundled = sort.links == 1};
}

// Determines, from the neighbourhood of the first accelerator, the dimension that direct links of one type
// form: a ring or a fully connected group.
std::optional<DimensionSpec> direct_dimension(const Topology& graph, const Sort& sort) {
  std::set<NodeId> neighbours;
  int channels = 0;
  for (const ChannelId id : graph.out_channels(0)) {
    const Channel& channel = graph.channel(id);
    if (!graph.is_accelerator(channel.dst) || sort_of(channel) != sort) continue;
    neighbours.insert(channel.dst);
    ++channels;
  }
  const auto others = static_cast<int>(neighbours.size());
  const auto size = static_cast<int>(sum(spheres_around(graph, 0, sort)));
  DimensionSpec spec{.kind = DimensionKind::kRing,
                     .size = size,
                     .links = channels,
                     .bandwidth = sort.bandwidth,
                     .latency = sort.latency};
  if (channels == others && others == size - 1) {
    spec.kind = DimensionKind::kFullyConnected;
    return spec;
  }
  if (channels == 2) return spec;
  if (channels != 1) return std::nullopt;
  spec.kind = DimensionKind::kOneWayRing;
  return spec;
}

// Determines the switch dimensions. Each type of switch yields as many dimensions as an accelerator has
// switches of this type.
std::optional<std::vector<DimensionSpec>> switch_dimensions(const Topology& graph) {
  std::map<SwitchSort, int> switches;
  for (NodeId node = graph.num_accelerators(); node < graph.num_nodes(); ++node) {
    const auto sort = sort_of_switch(graph, node);
    if (!sort) return std::nullopt;
    ++switches[*sort];
  }
  std::vector<DimensionSpec> dimensions;
  for (const auto& [sort, count] : switches) {
    const auto spec = switch_dimension(sort);
    const std::int64_t ends = std::int64_t{count} * sort.size;
    if (!spec || ends % graph.num_accelerators() != 0) return std::nullopt;
    dimensions.insert(dimensions.end(), static_cast<std::size_t>(ends / graph.num_accelerators()), *spec);
  }
  return dimensions;
}

// Combines equal dimensions of switches into one whose links lead to separate switches.
std::vector<DimensionSpec> with_planes(const std::vector<DimensionSpec>& dimensions) {
  std::vector<DimensionSpec> combined;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (d == 0 || dimensions[d] != dimensions[d - 1] || dimensions[d].links != 1) {
      combined.push_back(dimensions[d]);
      continue;
    }
    ++combined.back().links;
    combined.back().bundled = false;
    combined.back().planes = true;
  }
  return combined;
}

std::int64_t accelerators_of(const std::vector<DimensionSpec>& dimensions) {
  std::int64_t accelerators = 1;
  for (const DimensionSpec& spec : dimensions) accelerators *= spec.size;
  return accelerators;
}

}  // namespace

std::vector<LikelyNetwork> likely_grids(const Topology& graph) {
  std::vector<LikelyNetwork> likely;
  const int n = graph.num_accelerators();
  if (graph.num_switches() > 0 || n < 2 || sorts_of(graph).size() > kManySorts) return likely;
  add_grid(graph, true, likely);
  add_grid(graph, false, likely);
  if (static_cast<std::int64_t>(graph.channels().size()) == std::int64_t{n} * (n - 1)) {
    const Channel& any = graph.channel(0);
    const std::vector<int> dims{n};
    const std::vector<LinkSpec> links{{any.bandwidth, any.latency}};
    likely.push_back({make_fully_connected(dims, links)});
  }
  return likely;
}

std::vector<LikelyNetwork> likely_hierarchies(const Topology& graph) {
  if (graph.num_switches() == 0) return {};
  const auto switched = switch_dimensions(graph);
  if (!switched) return {};
  std::vector<DimensionSpec> dimensions;
  std::set<Sort> direct;
  for (const ChannelId id : graph.out_channels(0)) {
    if (graph.is_accelerator(graph.channel(id).dst)) direct.insert(sort_of(graph.channel(id)));
  }
  for (const Sort& sort : direct) {
    const auto spec = direct_dimension(graph, sort);
    if (!spec) return {};
    dimensions.push_back(*spec);
  }
  const bool separate = accelerators_of(dimensions) * accelerators_of(*switched) == graph.num_accelerators();
  const std::vector<DimensionSpec> own = separate ? *switched : with_planes(*switched);
  dimensions.insert(dimensions.end(), own.begin(), own.end());
  if (accelerators_of(dimensions) != graph.num_accelerators()) return {};
  // The planes of a single dimension are found by find_planes().
  if (!separate && dimensions.size() == 1) return {};
  if (dimensions.size() == 1 && dimensions.front().links == 1) {
    const DimensionSpec& only = dimensions.front();
    const std::vector<int> dims{only.size};
    const std::vector<LinkSpec> links{{only.bandwidth, only.latency / 2}};
    return {{make_switch(dims, links)}};
  }
  return {{make_hierarchy(dimensions), dimensions}};
}

}  // namespace coppice::topology
