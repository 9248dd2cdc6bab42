#pragma once

#include <vector>

#include "routing/instance.h"
#include "topology/networks/clos.h"
#include "topology/networks/kinds.h"

namespace coppice::system {

// A Clos network with two spines and two ToRs of two accelerators each.
struct SmallClos {
  topology::Topology topology =
      topology::make_clos(std::vector{2, 2, 2}, std::vector{topology::LinkSpec{{16'000'000'000}, 0}});
  topology::Clos clos{topology};
  std::vector<routing::Flow> flows{{0, 2, 0, 1, 0}, {1, 3, 0, 1, 1}, {2, 3, 1, 1, 0}};
};

}  // namespace coppice::system
