#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coppice {

// An edge of a bipartite multigraph; the vertices of each side are numbered from 0.
struct BipartiteEdge {
  std::int32_t left = 0;
  std::int32_t right = 0;
};

// Assigns every edge a colour, numbered from 0, such that edges at a common vertex have different colours.
// The number of colours is the maximum degree, which is optimal (König 1916). An edge receives the lowest
// colour that is free at both ends; if there is none, two colours are exchanged along a path of edges.
std::vector<std::int32_t> color_edges(std::span<const BipartiteEdge> edges);

}  // namespace coppice
