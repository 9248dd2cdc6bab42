#include "topology/routing/distances.h"

#include <limits>
#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths_no_color_map.hpp>
#include <boost/property_map/function_property_map.hpp>

namespace coppice::topology {
namespace {

using Adjacency = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, ChannelId>;

std::vector<std::pair<NodeId, NodeId>> ends(const Topology& topology, Distances::Direction direction) {
  std::vector<std::pair<NodeId, NodeId>> ends;
  for (const Channel& channel : topology.channels()) {
    ends.emplace_back(channel.src, channel.dst);
    if (direction == Distances::Direction::kToNode) std::swap(ends.back().first, ends.back().second);
  }
  return ends;
}

std::vector<ChannelId> numbers(std::size_t channels) {
  std::vector<ChannelId> numbers;
  while (numbers.size() < channels) numbers.push_back(static_cast<ChannelId>(numbers.size()));
  return numbers;
}

}  // namespace

class Distances::Graph {
 public:
  Graph(const Topology& topology, Direction direction)
      : Graph(ends(topology, direction), numbers(topology.channels().size()), topology.num_nodes()) {}

  const Adjacency& adjacency() const { return adjacency_; }

 private:
  Graph(const std::vector<std::pair<NodeId, NodeId>>& ends, const std::vector<ChannelId>& numbers,
        NodeId nodes)
      : adjacency_(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), numbers.begin(),
                   static_cast<std::size_t>(nodes)) {}

  Adjacency adjacency_;
};

Distances::Distances(const Topology& topology, Direction direction)
    : graph_(std::make_unique<Graph>(topology, direction)) {}

Distances::~Distances() = default;

template <typename Length>
std::vector<Length> Distances::of(NodeId node, std::span<const Length> lengths) const {
  const Adjacency& adjacency = graph_->adjacency();
  std::vector<Length> distances(boost::num_vertices(adjacency));
  const auto length = boost::make_function_property_map<Adjacency::edge_descriptor, Length>(
      [&](const Adjacency::edge_descriptor& edge) {
        return lengths[static_cast<std::size_t>(adjacency[edge])];
      });
  boost::dijkstra_shortest_paths_no_color_map(
      adjacency, static_cast<std::size_t>(node),
      boost::weight_map(length)
          .distance_map(boost::make_iterator_property_map(distances.begin(),
                                                          boost::get(boost::vertex_index, adjacency)))
          .distance_inf(std::numeric_limits<Length>::max()));
  return distances;
}

template std::vector<double> Distances::of(NodeId node, std::span<const double> lengths) const;
template std::vector<Cycles> Distances::of(NodeId node, std::span<const Cycles> lengths) const;

}  // namespace coppice::topology
