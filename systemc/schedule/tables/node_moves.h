#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

using topology::NodeId;

// Moves that permute all accelerators. For every accelerator, exactly one move maps the origin to it. The
// accelerators are identified by their coordinates on a torus of up to four dimensions, or by their positions
// in a ring. A move adds a constant to every coordinate, modulo the dimension's width. In some dimensions,
// moves flip bits of the coordinate instead, as halving and doubling requires. All moves are bijections by
// construction.
class Translations {
 public:
  static constexpr std::size_t kMostDimensions = 4;
  static constexpr int kMostWide = 1 << 14;

  // `nodes` lists the accelerators by their coordinates, with dimension 0 varying fastest; the first is the
  // origin. `flips` [dimension] states whether moves flip bits, which requires a power-of-two width; empty
  // means false for all dimensions. Throws std::invalid_argument if there are more than kMostDimensions
  // dimensions, if a width is not between 1 and kMostWide, or if `nodes` does not contain every number below
  // the product of `dims` exactly once.
  Translations(const std::vector<int>& dims, std::vector<NodeId> nodes, const std::vector<bool>& flips = {});

  NodeId origin() const { return nodes_.front(); }
  std::size_t nodes() const { return nodes_.size(); }
  // The image of `node` under the move that maps the origin to `to`.
  NodeId moved(NodeId node, NodeId to) const {
    const Digits a = digits(node);
    const Digits b = digits(to);
    return node_at(reduced((a & turned_) + (b & turned_)) | ((a ^ b) & ~turned_));
  }
  // The image of `node` under the move that maps `from` to the origin.
  NodeId moved_back(NodeId node, NodeId from) const {
    const Digits a = digits(node);
    const Digits b = digits(from);
    return node_at(reduced((a & turned_) + (widths_ & turned_) - (b & turned_)) | ((a ^ b) & ~turned_));
  }

 private:
  // A node's coordinates, packed with 16 bits each so that one addition adds all of them.
  using Digits = std::uint64_t;
  static constexpr int kBits = 16;
  static constexpr Digits kTops = 0x8000'8000'8000'8000;

  Digits digits(NodeId node) const { return digits_[static_cast<std::size_t>(node)]; }
  // Reduces sums of two coordinates modulo the widths.
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
  Digits turned_ = 0;  // all bits of the dimensions in which coordinates are added
  Digits to_top_ = 0;  // 0x8000 - width; added to a sum, it sets the top bit if the sum reaches the width
  std::size_t strides_[kMostDimensions] = {};
  std::vector<NodeId> nodes_;
  std::vector<Digits> digits_;  // [node]: its coordinates
};

}  // namespace coppice::schedule
