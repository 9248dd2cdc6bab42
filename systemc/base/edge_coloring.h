#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coppice {

// An edge of a bipartite multigraph. The vertices of each side are numbered from 0.
struct BipartiteEdge {
  std::int32_t left = 0;
  std::int32_t right = 0;
};

// Assigns a colour to every edge such that all edges at a vertex have different colours. Colours are numbered
// from 0. The number of colours is the maximum degree, which is optimal (König 1916). An edge receives the
// lowest colour that is free at both of its ends. If there is none, two colours are exchanged along a path of
// edges.
std::vector<std::int32_t> color_edges(std::span<const BipartiteEdge> edges);

}  // namespace coppice
