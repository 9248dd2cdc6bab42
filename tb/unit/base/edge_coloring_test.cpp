#include "base/edge_coloring.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace coppice {
namespace {

// The number of colours must equal the maximum degree (König's theorem). Graphs may have parallel edges.
RC_GTEST_PROP(EdgesOfBipartiteGraphs, TakeAsManyColorsAsTheBusiestVertexHasEdges, ()) {
  const int lefts = *rc::gen::inRange(1, 12);
  const int rights = *rc::gen::inRange(1, 8);
  const auto ends = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, lefts), rc::gen::inRange(0, rights)));
  std::vector<BipartiteEdge> edges;
  std::map<std::pair<bool, int>, int> degrees;
  int busiest = 0;
  for (const auto& [left, right] : ends) {
    edges.push_back({left, right});
    busiest = std::max({busiest, ++degrees[{false, left}], ++degrees[{true, right}]});
  }
  const std::vector<std::int32_t> colors = color_edges(edges);
  RC_ASSERT(colors.size() == edges.size());
  std::set<std::pair<int, int>> at_left;
  std::set<std::pair<int, int>> at_right;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    RC_ASSERT(colors[i] >= 0 && colors[i] < busiest);
    RC_ASSERT(at_left.emplace(edges[i].left, colors[i]).second);
    RC_ASSERT(at_right.emplace(edges[i].right, colors[i]).second);
  }
}

}  // namespace
}  // namespace coppice
