#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::routing {

// An approximate solution of an all-to-all as a multicommodity flow.
struct ConcurrentFlow {
  // The length of each channel, from which all_to_all_ns() derives the bound `least`. Empty if some
  // accelerators cannot reach others.
  std::vector<double> lengths;
  // Bounds on the optimum, in nanoseconds per byte of a block. The lengths prove `least`, and the flow that
  // was found achieves `most`.
  double least = 0;
  double most = 0;
};

// Approximates the flow by multiplicative weights (Garg and Koenemann, "Faster and simpler algorithms for
// multicommodity flow", SIAM J. Comput. 2007). Every round sends one block per pair of accelerators, in equal
// parts over the pair's shortest paths, and then lengthens the channels; the higher the load of a channel
// relative to its bandwidth, the more it is lengthened. Ends after `rounds` rounds, or once `least` is within
// 0.5% of `most`. A round runs a shortest-path search from every accelerator.
ConcurrentFlow approximate_all_to_all(const topology::Topology& topology, int rounds);

}  // namespace coppice::routing
