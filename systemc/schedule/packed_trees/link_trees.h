#pragma once

#include <span>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"
#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {

// Trees of an all-reduce, and the approximate number of pieces for the share of each.
struct TreeChoice {
  std::vector<PackedTree> trees;
  int pieces = 1;
  double estimate = 0;  // estimated total time, femtoseconds
};

// Empirical share of a piece's round trip through its tree that messages of other trees hide: of the
// pipeline's period or of the round trip, whichever is less.
inline constexpr double kHidden = 0.5;
// Choices with an estimate up to this factor above the least may still turn out best.
inline constexpr double kWorthTrying = 1.6;

// Spanning trees over links, with the numbers of trees that promise the least time for the request's size:
// many trees use the links best and keep them busy while trees wait for one another, few have long pieces.
// Throws UnsupportedError if the links do not connect the accelerators.
std::vector<TreeChoice> choose_link_trees(const topology::Topology& topology, const CompileRequest& request,
                                          std::span<const SymmetricLink> links);

}  // namespace coppice::schedule
