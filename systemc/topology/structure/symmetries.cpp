#include "topology/structure/symmetries.h"

#include <bliss/graph.hh>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace coppice::topology {
namespace {

// The (bandwidth, latency) pairs of all channels from one node to another, in sorted order.
using Bundle = std::vector<std::pair<std::int64_t, Femtoseconds>>;
using Ends = std::pair<NodeId, NodeId>;

std::map<Ends, Bundle> bundles_of(const Topology& topology) {
  std::map<Ends, Bundle> bundles;
  for (const Channel& channel : topology.channels()) {
    bundles[{channel.src, channel.dst}].emplace_back(channel.bandwidth.bytes_per_second, channel.latency);
  }
  for (auto& [ends, bundle] : bundles) std::ranges::sort(bundle);
  return bundles;
}

// Two connected nodes. If the channels are the same in both directions, `from` is the node with the lower
// number.
struct Joint {
  NodeId from;
  NodeId to;
  bool both_ways;
  const Bundle* bundle;
};

std::vector<Joint> joints_of(const std::map<Ends, Bundle>& bundles) {
  std::vector<Joint> joints;
  for (const auto& [ends, bundle] : bundles) {
    const auto back = bundles.find({ends.second, ends.first});
    const bool both_ways = back != bundles.end() && back->second == bundle;
    if (both_ways && ends.first > ends.second) continue;
    joints.push_back({ends.first, ends.second, both_ways, &bundle});
  }
  return joints;
}

// Calls `report` with every generator that bliss finds. From version 0.77 on, bliss accepts a function
// object; older versions accept only a plain function.
template <typename Graph, typename Report>
const unsigned* canonical_form(Graph& graph, bliss::Stats& stats, const Report& report) {
  if constexpr (requires { graph.canonical_form(stats, report); }) {
    return graph.canonical_form(stats, report);
  } else {
    const auto hook = [](void* to, unsigned vertices, const unsigned* image) {
      (*static_cast<const Report*>(to))(vertices, image);
    };
    return graph.canonical_form(stats, hook, const_cast<Report*>(&report));
  }
}

// A network as a graph of coloured vertices. The vertices are the nodes and, in the middle of each
// connection, one vertex (or two, if the connection is not symmetric) whose colour represents the type of the
// connection. Connections of the most frequent symmetric type need no middle vertices.
class ColouredGraph {
 public:
  explicit ColouredGraph(const Topology& topology) : nodes_(topology.num_nodes()) {
    for (NodeId node = 0; node < nodes_; ++node) graph_.add_vertex(topology.is_accelerator(node) ? 0 : 1);
    const auto bundles = bundles_of(topology);
    const std::vector<Joint> joints = joints_of(bundles);
    // Initially, the number of connections of each type; later, the first colour of each type.
    std::map<std::pair<bool, Bundle>, unsigned> sorts;
    for (const Joint& joint : joints) ++sorts[{joint.both_ways, *joint.bundle}];
    std::pair<bool, Bundle> plain{false, {}};
    unsigned most = 0;
    for (const auto& [sort, count] : sorts) {
      if (sort.first && count > most) std::tie(plain, most) = std::pair(sort, count);
    }
    unsigned colour = 2;
    for (auto& [sort, first_colour] : sorts) first_colour = std::exchange(colour, colour + 2);
    for (const Joint& joint : joints) {
      const std::pair sort{joint.both_ways, *joint.bundle};
      join(joint, sorts.at(sort), sort == plain);
    }
  }

  Symmetries find() {
    Symmetries symmetries;
    const auto report = [&](unsigned, const unsigned* image) {
      symmetries.generators.emplace_back(image, image + nodes_);
    };
    bliss::Stats stats;
    const unsigned* labels = canonical_form(graph_, stats, report);
    symmetries.size = static_cast<double>(stats.get_group_size_approx());
    // Renumbers the nodes in the order of their labels, skipping the labels of middle vertices.
    std::vector<NodeId> by_label(static_cast<std::size_t>(nodes_));
    std::iota(by_label.begin(), by_label.end(), 0);
    std::ranges::sort(by_label, {}, [&](NodeId node) { return labels[node]; });
    symmetries.labels.resize(by_label.size());
    for (std::size_t i = 0; i < by_label.size(); ++i) {
      symmetries.labels[static_cast<std::size_t>(by_label[i])] = static_cast<NodeId>(i);
    }
    return symmetries;
  }

 private:
  void join(const Joint& joint, unsigned colour, bool plain) {
    const auto from = static_cast<unsigned>(joint.from);
    const auto to = static_cast<unsigned>(joint.to);
    if (plain) {
      graph_.add_edge(from, to);
      return;
    }
    const unsigned first = graph_.add_vertex(colour);
    const unsigned last = joint.both_ways ? first : graph_.add_vertex(colour + 1);
    if (last != first) graph_.add_edge(first, last);
    graph_.add_edge(from, first);
    graph_.add_edge(last, to);
  }

  NodeId nodes_;
  bliss::Graph graph_;
};

}  // namespace

Symmetries find_symmetries(const Topology& topology) {
  return ColouredGraph(topology).find();
}

std::vector<std::vector<NodeId>> orbits_of(const Topology& topology, const Symmetries& symmetries) {
  std::vector<NodeId> parent(static_cast<std::size_t>(topology.num_nodes()));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](NodeId node) {
    while (parent[static_cast<std::size_t>(node)] != node) {
      NodeId& up = parent[static_cast<std::size_t>(node)];
      node = up = parent[static_cast<std::size_t>(up)];
    }
    return node;
  };
  for (const auto& generator : symmetries.generators) {
    for (NodeId node = 0; node < topology.num_nodes(); ++node) {
      const NodeId here = root(node);
      const NodeId there = root(generator[static_cast<std::size_t>(node)]);
      parent[static_cast<std::size_t>(std::max(here, there))] = std::min(here, there);
    }
  }
  std::map<NodeId, std::vector<NodeId>> orbits;
  for (NodeId node = 0; node < topology.num_nodes(); ++node) orbits[root(node)].push_back(node);
  std::vector<std::vector<NodeId>> sets;
  for (auto& [first, orbit] : orbits) sets.push_back(std::move(orbit));
  return sets;
}

}  // namespace coppice::topology
