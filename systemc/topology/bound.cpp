#include "topology/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.h"
#include "topology/builders.h"
#include "topology/connectivity.h"
#include "topology/hierarchy.h"

namespace coppice::topology {
namespace {

using Capacity = std::int64_t;

Capacity checked_product(Capacity a, Capacity b) {
  Capacity product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw UnsupportedError(
        "the channels' bandwidths have no common unit coarse enough for an exact bound: round them, for "
        "example "
        "to whole MB/s");
  }
  return product;
}

// What the topology's builder makes of its dims, with any links.
Topology rebuild(const Topology& topology) {
  if (topology.kind() != Kind::kHierarchy) {
    const std::vector<LinkSpec> any_link{{.bandwidth = {1}, .latency = 0}};
    return make_topology(topology.kind(), topology.dims(), any_link);
  }
  std::vector<DimensionSpec> dimensions;
  for (std::size_t d = 0; d < topology.dims().size(); ++d) {
    const int size = topology.dims()[d];
    const int links = topology.dimension_kinds()[d] == DimensionKind::kFullyConnected ? size - 1 : 2;
    dimensions.push_back({topology.dimension_kinds()[d], size, links, {1}, 0});
  }
  return make_hierarchy(dimensions);
}

// Whether the topology has the nodes and channels that its kind's builder makes of its dims.
bool is_as_built(const Topology& topology) {
  if (topology.kind() == Kind::kFile || topology.kind() == Kind::kDgx1) return false;
  try {
    const Topology built = rebuild(topology);
    const auto same_place = [](const Channel& a, const Channel& b) {
      return a.src == b.src && a.dst == b.dst && a.dimension == b.dimension;
    };
    return built.num_accelerators() == topology.num_accelerators() &&
           std::ranges::equal(built.channels(), topology.channels(), same_place);
  } catch (const UnsupportedError&) {
    return false;  // made by hand, with dims that no builder takes
  }
}

// The bandwidth of each dimension's or level's channels (0 where there are none) if the topology is as its
// builder makes it and has one bandwidth for each; nothing otherwise.
std::optional<std::vector<std::int64_t>> uniform_bandwidths(const Topology& topology) {
  if (!is_as_built(topology)) return std::nullopt;
  std::vector<std::int64_t> bandwidths(num_link_levels(topology.kind(), topology.dims()));
  for (const Channel& channel : topology.channels()) {
    std::int64_t& bandwidth = bandwidths[static_cast<std::size_t>(channel.dimension)];
    if (bandwidth == 0) bandwidth = channel.bandwidth.bytes_per_second;
    if (bandwidth != channel.bandwidth.bytes_per_second) return std::nullopt;
  }
  return bandwidths;
}

// Whether a mesh node is the one that stands for its images under reflection of a dimension and exchange of
// two equal ones: in the lower half everywhere, its coordinates ascending over equal dimensions.
bool represents_its_images(const Topology& mesh, std::span<const std::int64_t> bandwidths, NodeId node) {
  const std::vector<int>& dims = mesh.dims();
  const std::vector<int> at = mesh.coordinates(node);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (2 * at[d] >= dims[d]) return false;
    for (std::size_t e = 0; e < d; ++e) {
      if (dims[e] == dims[d] && bandwidths[e] == bandwidths[d] && at[e] > at[d]) return false;
    }
  }
  return true;
}

// Accelerators of which every other is an image under a symmetry of the topology, so that a worst cut which
// misses any accelerator has an image that misses one of these. All other kinds than the mesh look the same
// from every accelerator; no symmetry is used of a DGX-1 or known of a graph from a file.
std::vector<NodeId> sinks_to_try(const Topology& topology) {
  const auto bandwidths = uniform_bandwidths(topology);
  if (bandwidths && topology.kind() != Kind::kMesh) return {0};
  std::vector<NodeId> sinks;
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    if (!bandwidths || represents_its_images(topology, *bandwidths, node)) sinks.push_back(node);
  }
  return sinks;
}

// A cut's accelerators and exit bandwidth, the latter in the network's capacity unit.
struct Ratio {
  std::int64_t accelerators = 0;
  Capacity exit = 1;
};

// The topology as a flow network: a vertex per node and one more as the source of all accelerators'
// contributions. Parallel channels are one edge, with a reverse edge without capacity as Boost wants it.
class FlowNetwork {
 public:
  explicit FlowNetwork(const Topology& topology);

  std::int64_t unit_bytes_per_second() const { return unit_; }
  Capacity entry_capacity(NodeId node) const;
  Ratio ratio(const std::vector<NodeId>& cut) const;

  // A cut that misses `sink` with a larger ratio than `best`, if there is one: with a and c the numbers of
  // `best`, channels scaled by a and c units entering at each accelerator, the minimum cut S minimises
  // a·exit(S) − c·|S ∩ accelerators|, which is negative exactly if S is better.
  std::optional<std::vector<NodeId>> better_cut(NodeId sink, Ratio best);

  // The vertices that stay with `from` when the channels from there to `to` are cut where they carry least,
  // and what they carry, in units.
  std::pair<Capacity, std::vector<NodeId>> least_cut(NodeId from, NodeId to);

 private:
  struct EdgeData;
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  struct EdgeData {
    Capacity bandwidth = 0;  // in units; 0 on edges from the source and reverse edges
    Capacity capacity = 0;   // of the current flow problem
    Capacity residual = 0;
    Traits::edge_descriptor reverse;
  };
  using Graph =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, EdgeData>;

  Traits::edge_descriptor add_edge_pair(NodeId from, NodeId to, Capacity bandwidth);
  std::vector<NodeId> side_of(NodeId from) const;

  int accelerators_;
  NodeId source_;
  std::int64_t unit_ = 0;
  Graph graph_;
  std::vector<Traits::edge_descriptor> supply_;  // source to accelerator
};

FlowNetwork::FlowNetwork(const Topology& topology)
    : accelerators_(topology.num_accelerators()),
      source_(topology.num_nodes()),
      graph_(static_cast<std::size_t>(topology.num_nodes()) + 1) {
  for (const Channel& channel : topology.channels()) {
    unit_ = std::gcd(unit_, channel.bandwidth.bytes_per_second);
  }
  std::map<std::pair<NodeId, NodeId>, Capacity> links;
  for (const Channel& channel : topology.channels()) {
    links[{channel.src, channel.dst}] += channel.bandwidth.bytes_per_second / unit_;
  }
  for (const auto& [ends, capacity] : links) add_edge_pair(ends.first, ends.second, capacity);
  for (NodeId node = 0; node < accelerators_; ++node) {
    supply_.push_back(add_edge_pair(source_, node, 0));
  }
}

FlowNetwork::Traits::edge_descriptor FlowNetwork::add_edge_pair(NodeId from, NodeId to, Capacity bandwidth) {
  const auto u = static_cast<std::size_t>(from);
  const auto v = static_cast<std::size_t>(to);
  const auto edge = boost::add_edge(u, v, graph_).first;
  const auto reverse = boost::add_edge(v, u, graph_).first;
  graph_[edge] = {.bandwidth = bandwidth, .reverse = reverse};
  graph_[reverse] = {.reverse = edge};
  return edge;
}

Capacity FlowNetwork::entry_capacity(NodeId node) const {
  Capacity sum = 0;
  for (const auto edge :
       boost::make_iterator_range(boost::out_edges(static_cast<std::size_t>(node), graph_))) {
    sum += graph_[graph_[edge].reverse].bandwidth;
  }
  return sum;
}

Ratio FlowNetwork::ratio(const std::vector<NodeId>& cut) const {
  std::vector<bool> inside(boost::num_vertices(graph_));
  for (const NodeId node : cut) inside[static_cast<std::size_t>(node)] = true;
  Ratio result{.accelerators = 0, .exit = 0};
  for (const NodeId node : cut) {
    if (node < accelerators_) ++result.accelerators;
    for (const auto edge :
         boost::make_iterator_range(boost::out_edges(static_cast<std::size_t>(node), graph_))) {
      if (!inside[boost::target(edge, graph_)]) result.exit += graph_[edge].bandwidth;
    }
  }
  return result;
}

std::optional<std::vector<NodeId>> FlowNetwork::better_cut(NodeId sink, Ratio best) {
  const Capacity common = std::gcd(best.accelerators, best.exit);
  const Capacity scale = best.accelerators / common;
  const Capacity supply = best.exit / common;
  for (const auto edge : boost::make_iterator_range(boost::edges(graph_))) {
    graph_[edge].capacity = checked_product(graph_[edge].bandwidth, scale);
  }
  for (NodeId node = 0; node < accelerators_; ++node) {
    graph_[supply_[static_cast<std::size_t>(node)]].capacity = node == sink ? 0 : supply;
  }
  const Capacity total = checked_product(supply, accelerators_ - 1);
  const Capacity flow = boost::push_relabel_max_flow(
      graph_, static_cast<std::size_t>(source_), static_cast<std::size_t>(sink),
      boost::get(&EdgeData::capacity, graph_), boost::get(&EdgeData::residual, graph_),
      boost::get(&EdgeData::reverse, graph_), boost::get(boost::vertex_index, graph_));
  if (flow == total) return std::nullopt;
  return side_of(source_);
}

std::pair<Capacity, std::vector<NodeId>> FlowNetwork::least_cut(NodeId from, NodeId to) {
  for (const auto edge : boost::make_iterator_range(boost::edges(graph_))) {
    graph_[edge].capacity = graph_[edge].bandwidth;
  }
  const Capacity flow = boost::push_relabel_max_flow(
      graph_, static_cast<std::size_t>(from), static_cast<std::size_t>(to),
      boost::get(&EdgeData::capacity, graph_), boost::get(&EdgeData::residual, graph_),
      boost::get(&EdgeData::reverse, graph_), boost::get(boost::vertex_index, graph_));
  return {flow, side_of(from)};
}

std::vector<NodeId> FlowNetwork::side_of(NodeId from) const {
  std::vector<bool> reached(boost::num_vertices(graph_));
  std::vector<std::size_t> pending{static_cast<std::size_t>(from)};
  std::vector<NodeId> side;
  if (from != source_) side.push_back(from);
  reached[pending.front()] = true;
  while (!pending.empty()) {
    const std::size_t vertex = pending.back();
    pending.pop_back();
    for (const auto edge : boost::make_iterator_range(boost::out_edges(vertex, graph_))) {
      const std::size_t next = boost::target(edge, graph_);
      if (reached[next] || graph_[edge].residual == 0) continue;
      reached[next] = true;
      pending.push_back(next);
      side.push_back(static_cast<NodeId>(next));
    }
  }
  std::ranges::sort(side);
  return side;
}

}  // namespace

CutBound worst_cut(const Topology& topology) {
  if (topology.num_accelerators() == 1) return {};
  require_connected(topology);
  FlowNetwork network(topology);
  const std::vector<NodeId> sinks = sinks_to_try(topology);

  // Everything but the accelerator that is hardest to enter: often the worst cut already.
  const NodeId first =
      *std::ranges::min_element(sinks, {}, [&](NodeId node) { return network.entry_capacity(node); });
  std::vector<NodeId> cut;
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    if (node != first) cut.push_back(node);
  }
  Ratio best = network.ratio(cut);
  for (const NodeId sink : sinks) {
    while (auto better = network.better_cut(sink, best)) {
      cut = std::move(*better);
      best = network.ratio(cut);
    }
  }
  return {.accelerators_in_cut = best.accelerators,
          .exit_bytes_per_second = checked_product(best.exit, network.unit_bytes_per_second()),
          .cut = std::move(cut)};
}

CutBound root_cut(const Topology& topology, NodeId root, bool inward) {
  if (topology.num_accelerators() == 1) return {};
  require_connected(topology);
  FlowNetwork network(topology);
  std::optional<std::pair<Capacity, std::vector<NodeId>>> least;
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    if (node == root) continue;
    auto cut = inward ? network.least_cut(node, root) : network.least_cut(root, node);
    if (!least || cut.first < least->first) least = std::move(cut);
  }
  std::vector<NodeId> side = std::move(least->second);
  if (inward) {  // what stays with the other end: the root's side is the rest
    std::vector<NodeId> rest;
    for (NodeId node = 0; node < topology.num_nodes(); ++node) {
      if (!std::ranges::binary_search(side, node)) rest.push_back(node);
    }
    side = std::move(rest);
  }
  return {.accelerators_in_cut =
              std::ranges::count_if(side, [&](NodeId node) { return topology.is_accelerator(node); }),
          .exit_bytes_per_second = checked_product(least->first, network.unit_bytes_per_second()),
          .cut = std::move(side)};
}

double root_bound_ns(const CutBound& cut, Bytes bytes) {
  if (cut.accelerators_in_cut == 0) return 0;
  return static_cast<double>(bytes) / static_cast<double>(cut.exit_bytes_per_second) * 1e9;
}

double bound_ns(const CutBound& cut, Collective collective, Bytes bytes, int accelerators) {
  if (cut.accelerators_in_cut == 0) return 0;
  const double phases = collective == Collective::kAllReduce ? 2 : 1;
  const double leaving =
      static_cast<double>(bytes) * static_cast<double>(cut.accelerators_in_cut) / accelerators;
  return phases * leaving / static_cast<double>(cut.exit_bytes_per_second) * 1e9;
}

}  // namespace coppice::topology
