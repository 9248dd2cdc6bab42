#pragma once

#include <span>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/piece_schedule.h"
#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {

// Trees for a collective, and the approximate number of pieces into which each tree's share is cut.
struct TreeChoice {
  std::vector<PackedTree> trees;
  int pieces = 1;
  double estimate = 0;  // estimated total time, femtoseconds
};

// The empirical share of a piece's round trip through its tree (or of the pipeline's period, if that is
// shorter) that is hidden by messages of other trees.
inline constexpr double kHidden = 0.5;
// A choice is worth trying if its estimate is at most this multiple of the least estimate.
inline constexpr double kWorthTrying = 1.6;

// Chooses spanning trees over links. Returns one choice for each of several numbers of trees: those with the
// lowest estimated times at the request's size. Many trees use the links better and keep them busy while some
// trees wait, whereas few trees have longer pieces. Throws UnsupportedError if the links do not connect the
// accelerators.
std::vector<TreeChoice> choose_link_trees(const topology::Topology& topology, const CompileRequest& request,
                                          std::span<const SymmetricLink> links);

}  // namespace coppice::schedule
