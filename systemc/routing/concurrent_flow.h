#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::routing {

// An all-to-all as a multicommodity flow, solved approximately.
struct ConcurrentFlow {
  // [channel] lengths whose bound (all_to_all_ns()) is `least`; empty where some accelerators do not reach
  // others.
  std::vector<double> lengths;
  // The optimum, in nanoseconds per byte of a block, is between these: what the lengths prove, and what the
  // flow found takes.
  double least = 0;
  double most = 0;
};

// By multiplicative weights (Garg and Koenemann, "Faster and simpler algorithms for multicommodity flow",
// SIAM J. Comput. 2007): every round sends a block of each pair over shortest ways, in equal parts where
// several are, and lengthens the channels that carry most for their bandwidth. Ends after so many rounds, or
// once `least` is 0.5% below `most`. A round takes a shortest-path search from every accelerator.
ConcurrentFlow approximate_all_to_all(const topology::Topology& topology, int rounds);

}  // namespace coppice::routing
