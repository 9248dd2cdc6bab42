#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

using topology::NodeId;

// Moves of all accelerators at once, of which exactly one takes the origin to any given one: the accelerators
// as the elements of a cyclic group or of a product of up to four, those of a torus as its coordinates, those
// of a ring as their positions. Bijections by construction.
class Translations {
 public:
  static constexpr std::size_t kMostDimensions = 4;
  static constexpr int kMostWide = 1 << 14;

  // `nodes`: the accelerators by their coordinates, dimension 0 varying fastest; the first is the origin.
  // Throws std::invalid_argument for more than kMostDimensions, a width beyond 1 to kMostWide, or nodes that
  // are not 0 to the product of `dims`, each once.
  Translations(const std::vector<int>& dims, std::vector<NodeId> nodes);

  NodeId origin() const { return nodes_.front(); }
  std::size_t nodes() const { return nodes_.size(); }
  // Where `node` comes to by the move that takes the origin to `to`.
  NodeId moved(NodeId node, NodeId to) const { return node_at(reduced(digits(node) + digits(to))); }
  // Where `node` comes to by the move that takes `from` to the origin.
  NodeId moved_back(NodeId node, NodeId from) const {
    return node_at(reduced(digits(node) + widths_ - digits(from)));
  }

 private:
  // Coordinates side by side, 16 bits each, so that one addition adds all of them.
  using Digits = std::uint64_t;
  static constexpr int kBits = 16;
  static constexpr Digits kTops = 0x8000'8000'8000'8000;

  Digits digits(NodeId node) const { return digits_[static_cast<std::size_t>(node)]; }
  // Sums of two coordinates, less the width where they reach it.
  Digits reduced(Digits sums) const {
    const Digits reached = ((sums + to_top_) & kTops) >> (kBits - 1);
    return sums - (widths_ & (reached * 0xffff));
  }
  NodeId node_at(Digits at) const {
    std::size_t index = 0;
    for (std::size_t d = 0; d < dimensions_; ++d, at >>= kBits) index += (at & 0xffff) * strides_[d];
    return nodes_[index];
  }

  std::size_t dimensions_;
  Digits widths_ = 0;
  Digits to_top_ = 0;  // 0x8000 - width: what lifts a sum to the top bit that reaches the width
  std::size_t strides_[kMostDimensions] = {};
  std::vector<NodeId> nodes_;
  std::vector<Digits> digits_;  // [node]
};

}  // namespace coppice::schedule
