#include "schedule/hamiltonian.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

using Coordinates = std::vector<int>;

// All points of a box, consecutive ones neighbours: the lowest dimension runs to and fro.
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

// A cell of the k x L grid: its place in the chosen dimension and on the path through the others.
struct Cell {
  int row = 0;
  int column = 0;
};

// Even number of rows: out along row 0, to and fro through columns 1 .. L-1, back along column 0.
std::vector<Cell> cycle_of_even_rows(int rows, int columns) {
  std::vector<Cell> cycle;
  cycle.push_back({0, 0});
  for (int row = 0; row < rows; ++row) {
    for (int i = 1; i < columns; ++i) cycle.push_back({row, row % 2 == 0 ? i : columns - i});
  }
  for (int row = rows - 1; row > 0; --row) cycle.push_back({row, 0});
  return cycle;
}

// Rows that wrap around (3 or more), odd number of columns: out along row 0, back to and fro through the
// other rows, and over the wrap-around to the start.
std::vector<Cell> cycle_of_wrapped_rows(int rows, int columns) {
  std::vector<Cell> cycle;
  cycle.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (int column = 0; column < columns; ++column) cycle.push_back({0, column});
  for (int column = columns - 1; column >= 0; --column) {
    for (int i = 1; i < rows; ++i) cycle.push_back({column % 2 == 0 ? i : rows - i, column});
  }
  return cycle;
}

RingOrder grid_order(const Topology& topology) {
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

  RingOrder order;
  if (rows_dimension < 0) {
    for (const Coordinates& at : boustrophedon(widths)) order.nodes.push_back(topology.node_at(at));
    order.closed = order.nodes.size() <= 2 || (torus && wide == 1);
    return order;
  }
  const auto rows = static_cast<std::size_t>(rows_dimension);
  const int k = std::exchange(widths[rows], 1);
  const std::vector<Coordinates> path = boustrophedon(widths);
  const int columns = static_cast<int>(path.size());
  for (const Cell cell : even_rows ? cycle_of_even_rows(k, columns) : cycle_of_wrapped_rows(k, columns)) {
    Coordinates at = path[static_cast<std::size_t>(cell.column)];
    at[rows] = cell.row;
    order.nodes.push_back(topology.node_at(at));
  }
  return order;
}

}  // namespace

RingOrder ring_order(const Topology& topology) {
  return grid_order(topology);
}

}  // namespace coppice::schedule
