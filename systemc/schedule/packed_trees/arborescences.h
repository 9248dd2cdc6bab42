#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/packed_trees/piece_schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The accelerators from which the data starts: equal shares from each, all of it from one, or shares of any
// size from any accelerator, chosen to spread fastest.
struct Roots {
  enum class Shares : std::uint8_t { kEqual, kOne, kFree };
  Shares shares = Shares::kEqual;
  topology::NodeId one = topology::kNoNode;
};

// Trees from their roots to all accelerators. Together they move `trees_bytes_per_second`, each tree in
// proportion to its weight, and no channel carries more than its bandwidth.
struct ArborescencePacking {
  std::vector<PackedTree> trees;  // gather hops only, parents before children
  std::vector<int> weights;       // [tree]
  double trees_bytes_per_second = 0;
  double bytes_per_second =
      0;  // the part that remains when ports are held at the pace of the slowest channels of their messages
};

// Exact up to the rounding to whole weights: the bottleneck cut is fully used (Edmonds 1973). Capacities are
// scaled so that the optimum is a whole number of trees. Switches are split off without weakening any cut
// around an accelerator (Bang-Jensen, Frank, Jackson 1995). Arborescences are then packed in batches of equal
// trees (Tong, Lawler; ForestColl, Zhao et al. 2024), each step as large as maximum flows allow. Slow paths
// are spread over the ports that could send or receive over them. `bytes_per_second` is the bound. Returns
// nullopt if switches cannot be split off (channels into one do not match those out of it), or if that needs
// more than `most_work` steps over arcs.
std::optional<ArborescencePacking> pack_arborescences(const topology::Topology& topology, Roots roots,
                                                      double bytes_per_second, std::int64_t most_work);

}  // namespace coppice::schedule
