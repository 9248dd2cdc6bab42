#include "base/edge_coloring.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace coppice {
namespace {

constexpr std::int32_t kNone = -1;

// The edges at the vertices of one side, indexed by colour, and the colours that are free at each vertex.
class Side {
 public:
  Side(std::size_t vertices, std::size_t colors)
      : colors_(colors),
        words_((colors + kBits - 1) / kBits),
        edges_(vertices * colors, kNone),
        free_(vertices * words_, ~std::uint64_t{0}) {}

  std::int32_t edge(std::int32_t vertex, std::int32_t color) const { return edges_[slot(vertex, color)]; }
  void put(std::int32_t vertex, std::int32_t color, std::int32_t edge) {
    edges_[slot(vertex, color)] = edge;
    std::uint64_t& word = free_[word_of(vertex) + static_cast<std::size_t>(color) / kBits];
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::size_t>(color) % kBits);
    word = edge == kNone ? word | bit : word & ~bit;
  }
  // The lowest colour that is free at `vertex` and, if `side` is given, also at vertex `other` of that side;
  // kNone if there is none.
  std::int32_t free_color(std::int32_t vertex, const Side* side = nullptr, std::int32_t other = 0) const {
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t word = free_[word_of(vertex) + w];
      if (side != nullptr) word &= side->free_[side->word_of(other) + w];
      if (word == 0) continue;
      const std::size_t color = w * kBits + static_cast<std::size_t>(std::countr_zero(word));
      return color < colors_ ? static_cast<std::int32_t>(color) : kNone;
    }
    return kNone;
  }

 private:
  static constexpr std::size_t kBits = 64;

  std::size_t slot(std::int32_t vertex, std::int32_t color) const {
    return static_cast<std::size_t>(vertex) * colors_ + static_cast<std::size_t>(color);
  }
  std::size_t word_of(std::int32_t vertex) const { return static_cast<std::size_t>(vertex) * words_; }

  std::size_t colors_;
  std::size_t words_;
  std::vector<std::int32_t> edges_;  // [vertex][color]
  std::vector<std::uint64_t> free_;  // [vertex][word]
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

class Coloring {
 public:
  explicit Coloring(std::span<const BipartiteEdge> edges)
      : Coloring(edges, degrees(edges, &BipartiteEdge::left), degrees(edges, &BipartiteEdge::right)) {}

  void color(std::size_t number) {
    const BipartiteEdge& edge = edges_[number];
    std::int32_t own = left_.free_color(edge.left, &right_, edge.right);
    if (own == kNone) {
      own = left_.free_color(edge.left);
      free_at_right(edge.right, own, right_.free_color(edge.right));
    }
    set(static_cast<std::int32_t>(number), own);
  }

  std::vector<std::int32_t> colors() && { return std::move(colors_); }

 private:
  Coloring(std::span<const BipartiteEdge> edges, const std::vector<std::int32_t>& lefts,
           const std::vector<std::int32_t>& rights)
      : edges_(edges),
        left_(lefts.size(), most(lefts, rights)),
        right_(rights.size(), most(lefts, rights)),
        colors_(edges.size(), kNone) {}

  static std::size_t most(const std::vector<std::int32_t>& lefts, const std::vector<std::int32_t>& rights) {
    return static_cast<std::size_t>(
        std::max(*std::ranges::max_element(lefts), *std::ranges::max_element(rights)));
  }

  void set(std::int32_t number, std::int32_t color) {
    const BipartiteEdge& edge = edges_[static_cast<std::size_t>(number)];
    left_.put(edge.left, color, number);
    right_.put(edge.right, color, number);
    colors_[static_cast<std::size_t>(number)] = color;
  }

  // Frees colour `own` at a right vertex by exchanging `own` and `other` along the path that starts there and
  // alternates between the two colours. The path enters left vertices by edges of colour `own`, so it never
  // reaches a left vertex where `own` is free.
  void free_at_right(std::int32_t vertex, std::int32_t own, std::int32_t other) {
    std::vector<std::int32_t> path;
    bool at_right = true;
    while (true) {
      const std::int32_t next = at_right ? right_.edge(vertex, own) : left_.edge(vertex, other);
      if (next == kNone) break;
      path.push_back(next);
      const BipartiteEdge& step = edges_[static_cast<std::size_t>(next)];
      vertex = at_right ? step.left : step.right;
      at_right = !at_right;
    }
    for (const std::int32_t on_path : path) {
      const BipartiteEdge& step = edges_[static_cast<std::size_t>(on_path)];
      const std::int32_t had = colors_[static_cast<std::size_t>(on_path)];
      left_.put(step.left, had, kNone);
      right_.put(step.right, had, kNone);
    }
    for (const std::int32_t on_path : path) {
      set(on_path, colors_[static_cast<std::size_t>(on_path)] == own ? other : own);
    }
  }

  std::span<const BipartiteEdge> edges_;
  Side left_;
  Side right_;
  std::vector<std::int32_t> colors_;
};

}  // namespace

std::vector<std::int32_t> color_edges(std::span<const BipartiteEdge> edges) {
  if (edges.empty()) return {};
  Coloring coloring(edges);
  for (std::size_t number = 0; number < edges.size(); ++number) coloring.color(number);
  return std::move(coloring).colors();
}

}  // namespace coppice
