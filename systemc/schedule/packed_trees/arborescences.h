#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/packed_trees/piece_schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The initial distribution of the data: equal shares on all accelerators, all of it on one, or the shares
// that spread fastest.
struct Roots {
  enum class Shares : std::uint8_t { kEqual, kOne, kFree };
  Shares shares = Shares::kEqual;
  topology::NodeId one = topology::kNoNode;
};

// Trees from their roots to all accelerators. They share the total rate `trees_bytes_per_second` in
// proportion to their weights, and no channel exceeds its bandwidth.
struct ArborescencePacking {
  std::vector<PackedTree> trees;  // gather hops only, parents before children
  std::vector<int> weights;       // [tree]
  double trees_bytes_per_second = 0;
  // The rate if every message occupies its port at the pace of its slowest channel.
  double bytes_per_second = 0;
};

// Packs arborescences that fully use the bottleneck cut (Edmonds 1973), up to rounding to integer weights.
// Capacities are scaled so that the optimum is a whole number of trees. Switches are split off without
// weakening any cut around an accelerator (Bang-Jensen, Frank, Jackson 1995). Arborescences are then packed
// in batches of equal trees (Tong, Lawler; ForestColl, Zhao et al. 2024), each step as large as maximum flows
// allow. Slow paths are spread over the ports that could send or receive over them. `bytes_per_second` is the
// bound on the rate. Returns nullopt if switches cannot be split off (because the channels into a switch do
// not match those out of it) or if that would take more than `most_work` steps over arcs.
std::optional<ArborescencePacking> pack_arborescences(const topology::Topology& topology, Roots roots,
                                                      double bytes_per_second, std::int64_t most_work);

}  // namespace coppice::schedule
