#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/packed_trees/piece_schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Which accelerators the data starts from: equal shares from each, all of it from one, or shares of any size
// from any of them, whatever spreads fastest.
struct Roots {
  enum class Shares : std::uint8_t { kEqual, kOne, kFree };
  Shares shares = Shares::kEqual;
  topology::NodeId one = topology::kNoNode;
};

// Trees from their roots to all accelerators. Together they move `trees_bytes_per_second`, each tree its
// weight's share of that, and no channel carries more than its bandwidth.
struct ArborescencePacking {
  std::vector<PackedTree> trees;  // gather hops only, parents before children
  std::vector<int> weights;       // [tree]
  double trees_bytes_per_second = 0;
  double bytes_per_second =
      0;  // what ports leave of it that keep the pace of their messages' slowest channels
};

// Exact up to whole weights: the bottleneck cut is used to the full (Edmonds 1973). Capacities are scaled so
// that the optimum is a whole number of trees, switches are split off without weakening any cut around an
// accelerator (Bang-Jensen, Frank, Jackson 1995), and arborescences are packed one batch of equal ones after
// another (Tong, Lawler; ForestColl, Zhao et al. 2024), each step as large as maximum flows allow.
// Slow ways are spread over the ports that could send or receive over them. `bytes_per_second` is what the
// bound allows. Returns nullopt if switches cannot be split off (channels into one do not match those out of
// it), or if that needs more than `most_work` steps over arcs.
std::optional<ArborescencePacking> pack_arborescences(const topology::Topology& topology, Roots roots,
                                                      double bytes_per_second, std::int64_t most_work);

}  // namespace coppice::schedule
