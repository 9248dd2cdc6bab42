#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coppice::schedule {

// A directed graph with changing integer capacities. Computes maximum flows with Dinic's algorithm.
class FlowGraph {
 public:
  using Amount = std::int64_t;
  static constexpr Amount kUnlimited = std::int64_t{1} << 50;

  explicit FlowGraph(int vertices) : arcs_of_(static_cast<std::size_t>(vertices)) {}

  int num_vertices() const { return static_cast<int>(arcs_of_.size()); }
  // The capacity of the arc between two vertices; parallel arcs are merged, and the capacity of missing arcs
  // is 0.
  Amount capacity(int from, int to) const;
  void change_capacity(int from, int to, Amount by);

  // A vertex that is connected to the source or sink with unlimited capacity.
  struct Joined {
    int vertex;
    int to;  // the source or the sink
  };
  // The maximum flow, or `limit` if the maximum flow exceeds it. `joined` applies to this call only.
  Amount max_flow(int source, int sink, Amount limit, std::span<const Joined> joined);
  Amount max_flow(int source, int sink, Amount limit) { return max_flow(source, sink, limit, {}); }

  // After max_flow() returned less than its limit: whether a vertex is on the source's side of the minimum
  // cut that is nearest to the source.
  bool reached(int vertex) const { return level_[static_cast<std::size_t>(vertex)] >= 0; }

  // The heads of those outgoing arcs of a vertex that have capacity, and the tails of those incoming arcs
  // that have capacity.
  std::vector<int> heads(int from) const;
  std::vector<int> tails(int to) const;

 private:
  struct Arc {
    int head;
    int reverse;  // index of the reverse arc
    Amount capacity;
    Amount residual;
  };

  int find(int from, int to) const;
  int find_or_add(int from, int to);
  bool find_levels(int source, int sink);
  Amount advance(int at, int sink, Amount limit);

  std::vector<Arc> arcs_;
  std::vector<std::vector<int>> arcs_of_;
  std::vector<int> level_;
  std::vector<std::size_t> next_;
  std::vector<int> queue_;
};

}  // namespace coppice::schedule
