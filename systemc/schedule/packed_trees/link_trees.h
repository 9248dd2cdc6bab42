#pragma once

#include <span>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"
#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {

// Trees of a collective, and the approximate number of pieces of each tree's share.
struct TreeChoice {
  std::vector<PackedTree> trees;
  int pieces = 1;
  double estimate = 0;  // estimated total time, femtoseconds
};

// The share of the pipeline's period, or of a piece's round trip through its tree if that is shorter, that
// messages of other trees hide (empirical).
inline constexpr double kHidden = 0.5;
// A choice is worth trying if its estimate is at most this multiple of the least estimate.
inline constexpr double kWorthTrying = 1.6;

// Spanning trees over links, for the numbers of trees with the least estimated time for the request's size.
// Many trees use the links better and keep them busy while some trees wait; few trees have longer pieces.
// Throws UnsupportedError if the links do not connect the accelerators.
std::vector<TreeChoice> choose_link_trees(const topology::Topology& topology, const CompileRequest& request,
                                          std::span<const SymmetricLink> links);

}  // namespace coppice::schedule
