#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/packed_trees/piece_schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// How the data is distributed among the trees' roots: equal shares at all accelerators, all of the data at
// one accelerator, or whatever shares allow the highest rate.
struct Roots {
  enum class Shares : std::uint8_t { kEqual, kOne, kFree };
  Shares shares = Shares::kEqual;
  topology::NodeId one = topology::kNoNode;
};

// Trees that lead from their roots to all accelerators. Each tree carries a part of `trees_bytes_per_second`
// in proportion to its weight, and no channel exceeds its bandwidth.
struct ArborescencePacking {
  std::vector<PackedTree> trees;  // gather hops only, parents before children
  std::vector<int> weights;       // [tree]
  double trees_bytes_per_second = 0;
  // The total rate if a message occupies its sender's port for as long as the slowest channel on its path
  // needs.
  double bytes_per_second = 0;
};

// Packs arborescences that fully use the network's bottleneck cut (Edmonds 1973), except for rounding to
// integer weights. Capacities are first scaled so that the optimum is a whole number of trees. Switches are
// then replaced with direct channels without weakening any cut around an accelerator (Bang-Jensen, Frank,
// Jackson 1995). Finally, batches of equal trees are packed in steps that are as large as maximum flows allow
// (Tong, Lawler; ForestColl, Zhao et al. 2024). `bytes_per_second` is the upper bound on the rate. Returns
// nullopt if the switches cannot be replaced (because the channels into a switch do not match those out of
// it) or if packing would take more than `most_work` steps over arcs. If `paced` is set, the bandwidths of
// channels already take account of ports (paced_network.h).
std::optional<ArborescencePacking> pack_arborescences(const topology::Topology& topology, Roots roots,
                                                      double bytes_per_second, std::int64_t most_work,
                                                      bool paced = false);

}  // namespace coppice::schedule
