#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coppice {

// An edge of a bipartite multigraph: vertices of either side are numbered from 0.
struct BipartiteEdge {
  std::int32_t left = 0;
  std::int32_t right = 0;
};

// A color, from 0, for every edge, so that edges which meet at a vertex differ. There are as many colors as
// the busiest vertex has edges, which is the least that can do (König 1916). An edge takes the lowest color
// that is free at both its ends; where there is none, a path of edges exchanges two colors.
std::vector<std::int32_t> color_edges(std::span<const BipartiteEdge> edges);

}  // namespace coppice
