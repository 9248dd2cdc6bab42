#include "schedule/rings/ring_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "schedule/compile/channel_paths.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

using Coordinates = std::vector<int>;

// Returns all points of a box, ordered such that consecutive points are neighbours: the lowest dimension runs
// back and forth.
std::vector<Coordinates> boustrophedon(const std::vector<int>& widths) {
  std::vector<Coordinates> path{Coordinates(widths.size(), 0)};
  for (std::size_t d = 0; d < widths.size(); ++d) {
    const std::vector<Coordinates> layer = path;
    for (int x = 1; x < widths[d]; ++x) {
      for (std::size_t i = 0; i < layer.size(); ++i) {
        path.push_back(x % 2 == 0 ? layer[i] : layer[layer.size() - 1 - i]);
        path.back()[d] = x;
      }
    }
  }
  return path;
}

// A cell of the k x L grid: its position in the chosen dimension, and its position on the path through the
// other dimensions.
struct Cell {
  int row = 0;
  int column = 0;
};

// For an even number of rows: out along row 0, back and forth through columns 1 to L - 1, and back along
// column 0.
std::vector<Cell> cycle_of_even_rows(int rows, int columns) {
  std::vector<Cell> cycle;
  cycle.push_back({0, 0});
  for (int row = 0; row < rows; ++row) {
    for (int i = 1; i < columns; ++i) cycle.push_back({row, row % 2 == 0 ? i : columns - i});
  }
  for (int row = rows - 1; row > 0; --row) cycle.push_back({row, 0});
  return cycle;
}

// For 3 or more rows that wrap around and an odd number of columns: out along row 0, back and forth through
// all other rows, and over the wrap-around link to the start.
std::vector<Cell> cycle_of_wrapped_rows(int rows, int columns) {
  std::vector<Cell> cycle;
  cycle.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (int column = 0; column < columns; ++column) cycle.push_back({0, column});
  for (int column = columns - 1; column >= 0; --column) {
    for (int i = 1; i < rows; ++i) cycle.push_back({column % 2 == 0 ? i : rows - i, column});
  }
  return cycle;
}

std::vector<NodeId> grid_order(const Topology& topology) {
  const bool torus = topology.kind() == topology::Kind::kTorus;
  std::vector<int> widths = topology.dims();
  const int dimensions = static_cast<int>(widths.size());
  const auto wide = std::ranges::count_if(widths, [](int width) { return width > 1; });
  int rows_dimension = -1;
  for (int d = dimensions - 1; d >= 0; --d) {
    if (wide > 1 && widths[static_cast<std::size_t>(d)] % 2 == 0) rows_dimension = d;
  }
  const bool even_rows = rows_dimension >= 0;
  if (!even_rows && torus && wide > 1) {
    rows_dimension =
        static_cast<int>(std::ranges::find_if(widths, [](int w) { return w > 1; }) - widths.begin());
  }

  std::vector<NodeId> order;
  if (rows_dimension < 0) {
    for (const Coordinates& at : boustrophedon(widths)) order.push_back(topology.node_at(at));
    return order;
  }
  const auto rows = static_cast<std::size_t>(rows_dimension);
  const int k = std::exchange(widths[rows], 1);
  const std::vector<Coordinates> path = boustrophedon(widths);
  const int columns = static_cast<int>(path.size());
  for (const Cell cell : even_rows ? cycle_of_even_rows(k, columns) : cycle_of_wrapped_rows(k, columns)) {
    Coordinates at = path[static_cast<std::size_t>(cell.column)];
    at[rows] = cell.row;
    order.push_back(topology.node_at(at));
  }
  return order;
}

bool on_a_grid(const Topology& topology) {
  return topology::info_of(topology.kind()).coordinates;
}

// Finds a Hamiltonian cycle by a bounded depth-first search that tries nodes with the fewest continuations
// first.
class CycleSearch {
 public:
  explicit CycleSearch(const Topology& topology)
      : topology_(topology), visited_(static_cast<std::size_t>(topology.num_nodes()), false) {}

  // Returns the cycle; empty if none was found.
  std::vector<NodeId> run() {
    visit(0);
    return go_on() ? path_ : std::vector<NodeId>{};
  }

 private:
  static constexpr int kMostVisits = 100'000;

  void visit(NodeId node) {
    visited_[static_cast<std::size_t>(node)] = true;
    path_.push_back(node);
    ++visits_;
  }

  std::vector<NodeId> left_from(NodeId node) const {
    std::vector<NodeId> left;
    for (const topology::ChannelId id : topology_.out_channels(node)) {
      const NodeId next = topology_.channel(id).dst;
      if (!visited_[static_cast<std::size_t>(next)] && std::ranges::find(left, next) == left.end())
        left.push_back(next);
    }
    return left;
  }

  bool go_on() {
    if (path_.size() == visited_.size())
      return path_.size() == 1 || find_channel(topology_, path_.back(), path_.front()) >= 0;
    std::vector<NodeId> next = left_from(path_.back());
    std::ranges::stable_sort(next, {}, [&](NodeId node) { return left_from(node).size(); });
    for (const NodeId node : next) {
      if (visits_ >= kMostVisits) return false;
      visit(node);
      if (go_on()) return true;
      visited_[static_cast<std::size_t>(node)] = false;
      path_.pop_back();
    }
    return false;
  }

  const Topology& topology_;
  std::vector<bool> visited_;
  std::vector<NodeId> path_;
  int visits_ = 0;
};

// Returns the accelerator nearest to `from` for which `wanted` is true. Ties go to the lowest number.
template <typename Wanted>
NodeId nearest(const Topology& topology, NodeId from, const Wanted& wanted) {
  std::vector<bool> reached(static_cast<std::size_t>(topology.num_nodes()), false);
  std::vector<NodeId> ring{from};
  reached[static_cast<std::size_t>(from)] = true;
  while (!ring.empty()) {
    NodeId found = topology::kNoNode;
    std::vector<NodeId> next_ring;
    for (const NodeId node : ring) {
      for (const topology::ChannelId id : topology.out_channels(node)) {
        const NodeId next = topology.channel(id).dst;
        if (reached[static_cast<std::size_t>(next)]) continue;
        reached[static_cast<std::size_t>(next)] = true;
        next_ring.push_back(next);
        if (topology.is_accelerator(next) && wanted(next) && (found < 0 || next < found)) found = next;
      }
    }
    if (found >= 0) return found;
    ring = std::move(next_ring);
  }
  throw UnsupportedError(
      fmt::format("{}: accelerator {} cannot reach the accelerators that are not on the ring yet",
                  topology.name(), from));
}

std::vector<NodeId> nearest_order(const Topology& topology) {
  std::vector<bool> visited(static_cast<std::size_t>(topology.num_accelerators()), false);
  std::vector<NodeId> order{0};
  visited[0] = true;
  while (order.size() < visited.size()) {
    order.push_back(nearest(topology, order.back(),
                            [&](NodeId node) { return !visited[static_cast<std::size_t>(node)]; }));
    visited[static_cast<std::size_t>(order.back())] = true;
  }
  return order;
}

std::vector<NodeId> order_of(const Topology& topology) {
  if (on_a_grid(topology)) return grid_order(topology);
  if (topology.num_switches() == 0) {
    if (std::vector<NodeId> cycle = CycleSearch(topology).run(); !cycle.empty()) return cycle;
  }
  return nearest_order(topology);
}

}  // namespace

RingOrder ring_order(const Topology& topology) {
  RingOrder order{.nodes = order_of(topology), .closed = true};
  order.closed =
      order.nodes.size() == 1 || find_channel(topology, order.nodes.back(), order.nodes.front()) >= 0;
  return order;
}

}  // namespace coppice::schedule
