#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The direction in which data crosses the boundary of a set.
enum class Direction : std::uint8_t { kOut, kIn };

// An integer type that is exact for any bandwidths, even for sums over channels multiplied by the number of
// accelerators.
__extension__ using Capacity = __int128;

// Computes flows over the channels of a topology. Flow is pushed from several vertices in turn to vertices
// with room. Earlier flows are kept while the next one is pushed, and flows take the shortest available paths
// (Dinic's algorithm with warm starts). As a result, finding many similar minimum cuts costs little more than
// listing them.
class FlowNetwork {
 public:
  using Vertex = std::int32_t;

  // `vertex_of` maps nodes to vertices 0, 1, ...; no cut separates nodes of the same vertex. If `vertex_of`
  // is empty, each node is a vertex. With kIn, all channels are reversed.
  FlowNetwork(const Topology& topology, Direction direction, std::span<const Vertex> vertex_of = {});

  // The number of arcs. Two vertices that are joined by channels have one arc in each direction.
  std::size_t num_arcs() const { return head_.size(); }
  int num_vertices() const { return static_cast<int>(first_.size()) - 1; }
  // The bandwidth that corresponds to a capacity of 1 unit. It is a common divisor of all bandwidths.
  std::int64_t unit_bytes_per_second() const { return unit_; }
  // Whether the capacity between any two vertices is the same in both directions.
  bool symmetric() const;
  // The total capacity of the arcs out of a vertex, in units.
  Capacity exit_capacity(Vertex vertex) const;
  // The total capacity of the arcs out of a set of vertices, in units.
  Capacity exit_capacity(const std::vector<bool>& inside) const;
  // The vertices below `count`, in the order of a breadth-first search from `start` that ignores the
  // directions of channels.
  std::vector<Vertex> near_to_far(Vertex start, int count) const;

  // Removes all flow and all room, and sets the capacity of each channel to its bandwidth, in units,
  // multiplied by `scale`.
  void reset(Capacity scale);
  // room(): the remaining capacity for flows that end at a vertex. ended(): the flow that already ends there.
  Capacity& room(Vertex vertex) { return room_[static_cast<std::size_t>(vertex)]; }
  Capacity& ended(Vertex vertex) { return ended_[static_cast<std::size_t>(vertex)]; }
  // A capacity larger than that of all channels together.
  Capacity unlimited() const { return unlimited_; }

  // Pushes as much flow as possible, but at most `limit`, from a vertex to other vertices with room. Returns
  // the amount of flow.
  Capacity push(Vertex from, Capacity limit);
  // Withdraws `amount` of the flow of the last push, starting with the path that was found last.
  void withdraw(Capacity amount);
  // After a push that fell short of its limit, returns the vertices that can still be reached, starting with
  // `from`. The cut around them is a minimum cut between `from` and all vertices with room.
  std::span<const Vertex> reached() const { return reached_; }

 private:
  using Arc = std::int32_t;

  struct Path {
    std::size_t first_arc;  // index into path_arcs_; the path ends where the next path begins
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
  // Arcs, sorted by source: the arcs out of vertex v are numbered from first_[v] to first_[v + 1] - 1. Two
  // vertices that are joined by a channel have one arc in each direction.
  std::vector<Arc> first_;
  std::vector<Vertex> head_;
  std::vector<Arc> reverse_;
  std::vector<Capacity> bandwidth_;  // in units
  std::vector<Capacity> residual_;
  std::vector<Capacity> room_;
  std::vector<Capacity> ended_;
  // State of the current search. The entries of unreached vertices are left over from earlier searches.
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
