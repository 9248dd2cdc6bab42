#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::routing {

// An all-to-all as a multicommodity flow, solved approximately.
struct ConcurrentFlow {
  // [channel]: lengths whose bound (all_to_all_ns()) is `least`; empty if some accelerators cannot reach
  // others.
  std::vector<double> lengths;
  // Bounds on the optimum, in nanoseconds per byte of a block: the lengths prove `least`, and the flow found
  // achieves `most`.
  double least = 0;
  double most = 0;
};

// Approximates the flow by multiplicative weights (Garg and Koenemann, "Faster and simpler algorithms for
// multicommodity flow", SIAM J. Comput. 2007): every round sends one block per pair over its shortest paths,
// in equal parts, and lengthens the channels with the highest load relative to their bandwidth. It ends after
// `rounds` rounds, or once `least` is within 0.5% of `most`. A round runs a shortest-path search from every
// accelerator.
ConcurrentFlow approximate_all_to_all(const topology::Topology& topology, int rounds);

}  // namespace coppice::routing
