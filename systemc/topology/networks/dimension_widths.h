#pragma once

#include <functional>
#include <numeric>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The widths of the dimensions by which accelerators are numbered; the first dimension varies fastest. The
// result is empty if the network has no such dimensions, for example for a fat tree, whose dims count leaves
// and spines.
inline std::vector<int> dimension_widths(const Topology& topology) {
  const std::vector<int>& widths = topology.dims();
  const int product = std::accumulate(widths.begin(), widths.end(), 1, std::multiplies<>());
  return product == topology.num_accelerators() ? widths : std::vector<int>{};
}

}  // namespace coppice::topology
