#include "schedule/compile/edge_colouring.h"

#include <algorithm>

namespace coppice::schedule {
namespace {

constexpr std::int32_t kNone = -1;

// The edges at the vertices of one side, by their colours.
class Side {
 public:
  Side(std::size_t vertices, std::size_t colours) : colours_(colours), edges_(vertices * colours, kNone) {}

  std::int32_t& edge(std::int32_t vertex, std::int32_t colour) {
    return edges_[static_cast<std::size_t>(vertex) * colours_ + static_cast<std::size_t>(colour)];
  }
  std::int32_t free_colour(std::int32_t vertex) {
    std::int32_t colour = 0;
    while (edge(vertex, colour) != kNone) ++colour;
    return colour;
  }

 private:
  std::size_t colours_;
  std::vector<std::int32_t> edges_;  // [vertex][colour]
};

std::vector<std::int32_t> degrees(std::span<const BipartiteEdge> edges, std::int32_t BipartiteEdge::*end) {
  std::vector<std::int32_t> degrees;
  for (const BipartiteEdge& edge : edges) {
    const auto vertex = static_cast<std::size_t>(edge.*end);
    if (degrees.size() <= vertex) degrees.resize(vertex + 1, 0);
    ++degrees[vertex];
  }
  return degrees;
}

}  // namespace

std::vector<std::int32_t> colour_edges(std::span<const BipartiteEdge> edges) {
  std::vector<std::int32_t> colours(edges.size(), kNone);
  if (edges.empty()) return colours;
  const auto lefts = degrees(edges, &BipartiteEdge::left);
  const auto rights = degrees(edges, &BipartiteEdge::right);
  const auto most =
      static_cast<std::size_t>(std::max(*std::ranges::max_element(lefts), *std::ranges::max_element(rights)));
  Side left(lefts.size(), most);
  Side right(rights.size(), most);
  const auto colour = [&](std::int32_t number, std::int32_t with) {
    const BipartiteEdge& edge = edges[static_cast<std::size_t>(number)];
    left.edge(edge.left, with) = number;
    right.edge(edge.right, with) = number;
    colours[static_cast<std::size_t>(number)] = with;
  };
  for (std::size_t number = 0; number < edges.size(); ++number) {
    const BipartiteEdge& edge = edges[number];
    const std::int32_t own = left.free_colour(edge.left);
    const std::int32_t other = right.free_colour(edge.right);
    // The path from the right end by edges of the one colour and the other in turn does not come to the left
    // end, which has no edge of the first: exchanging its colours frees that at the right end.
    std::vector<std::int32_t> path;
    bool at_right = true;
    std::int32_t at = edge.right;
    while (true) {
      const std::int32_t next = at_right ? right.edge(at, own) : left.edge(at, other);
      if (next == kNone) break;
      path.push_back(next);
      const BipartiteEdge& step = edges[static_cast<std::size_t>(next)];
      at = at_right ? step.left : step.right;
      at_right = !at_right;
    }
    for (const std::int32_t on_path : path) {
      const BipartiteEdge& step = edges[static_cast<std::size_t>(on_path)];
      const std::int32_t had = colours[static_cast<std::size_t>(on_path)];
      left.edge(step.left, had) = kNone;
      right.edge(step.right, had) = kNone;
    }
    for (const std::int32_t on_path : path) {
      colour(on_path, colours[static_cast<std::size_t>(on_path)] == own ? other : own);
    }
    colour(static_cast<std::int32_t>(number), own);
  }
  return colours;
}

}  // namespace coppice::schedule
