#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// Which way data pass a set of nodes' boundary.
enum class Direction : std::uint8_t { kOut, kIn };

// Exact for any bandwidths: sums of channels times numbers of accelerators.
__extension__ using Capacity = __int128;

// Flows over a topology's channels that start at one vertex after another and end where there is room. What
// is pushed from one vertex stays while the next is pushed, and flows take the shortest paths there are, so
// that many minimum cuts that differ little cost little more than their sizes (Dinic's algorithm, warm).
class FlowNetwork {
 public:
  using Vertex = std::int32_t;

  // `vertex_of` maps nodes to vertices 0, 1, ...: nodes of one vertex are never cut apart; empty: each node
  // is a vertex. With kIn all channels are taken the other way round.
  FlowNetwork(const Topology& topology, Direction direction, std::span<const Vertex> vertex_of = {});

  // Directed channels between vertices, parallel ones combined, and the same number in the other direction.
  std::size_t num_arcs() const { return head_.size(); }
  int num_vertices() const { return static_cast<int>(first_.size()) - 1; }
  // The bandwidth of a capacity of 1: a common divisor of all bandwidths.
  std::int64_t unit_bytes_per_second() const { return unit_; }
  // Whether as much goes each way between any two vertices.
  bool symmetric() const;
  // The capacity out of a vertex, in units.
  Capacity exit_capacity(Vertex vertex) const;
  // The capacity out of a set of vertices, in units.
  Capacity exit_capacity(const std::vector<bool>& inside) const;
  // Vertices below `count` as a breadth-first search from `start` meets them, channels taken both ways.
  std::vector<Vertex> near_to_far(Vertex start, int count) const;

  // Takes all flow and all room away; channels carry their units times `scale` from now on.
  void reset(Capacity scale);
  // The capacity left for flows that end at a vertex, and the flow that ends there.
  Capacity& room(Vertex vertex) { return room_[static_cast<std::size_t>(vertex)]; }
  Capacity& ended(Vertex vertex) { return ended_[static_cast<std::size_t>(vertex)]; }
  // More than all channels carry.
  Capacity unlimited() const { return unlimited_; }

  // Pushes as much as possible, at most `limit`, from a vertex to others with room; returns the amount.
  Capacity push(Vertex from, Capacity limit);
  // Takes the last `amount` of the last push back.
  void take_back(Capacity amount);
  // After a push that fell short of its limit: the vertices that could still be reached, `from` first. No
  // cut between it and all room is narrower than the one around these.
  std::span<const Vertex> reached() const { return reached_; }

 private:
  using Arc = std::int32_t;

  struct Path {
    std::size_t first_arc;  // of path_arcs_; the next path's first is its end
    Vertex end;
    Capacity amount;
  };

  Vertex arc_source(Arc arc) const {
    return head_[static_cast<std::size_t>(reverse_[static_cast<std::size_t>(arc)])];
  }
  bool find_levels(Vertex from);
  Capacity send_along_levels(Vertex from, Capacity limit);
  Vertex back_to_residual(Vertex from);
  bool advance(Vertex& at);
  Capacity send(Vertex end, Capacity limit);

  std::int64_t unit_ = 0;
  Capacity unlimited_ = 0;
  // Arcs by vertex; between two vertices with a channel there is one each way.
  std::vector<Arc> first_;
  std::vector<Vertex> head_;
  std::vector<Arc> reverse_;
  std::vector<Capacity> bandwidth_;  // in units
  std::vector<Capacity> residual_;
  std::vector<Capacity> room_;
  std::vector<Capacity> ended_;
  // State of the current search; entries of vertices that it has not reached are from an earlier one.
  std::vector<std::int32_t> level_;
  std::vector<std::uint32_t> met_;
  std::uint32_t search_ = 0;
  std::vector<Arc> next_arc_;
  std::vector<Vertex> reached_;
  std::vector<Arc> trail_;
  // Results of the last push.
  std::vector<Path> paths_;
  std::vector<Arc> path_arcs_;
};

}  // namespace coppice::topology
