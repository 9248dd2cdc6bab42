#pragma once

#include <memory>
#include <span>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// Computes shortest distances in a network for given channel lengths, with Dijkstra's algorithm.
class Distances {
 public:
  enum class Direction { kFromNode, kToNode };

  explicit Distances(const Topology& topology, Direction direction = Direction::kFromNode);
  ~Distances();
  Distances(const Distances&) = delete;
  Distances& operator=(const Distances&) = delete;

  // Returns, for each node, its distance from (or to) `node`; the maximum Length if there is no path.
  // `lengths` contains a non-negative length for every channel. Length is double or Cycles.
  template <typename Length>
  std::vector<Length> of(NodeId node, std::span<const Length> lengths) const;

 private:
  class Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace coppice::topology
