#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/packed_trees/spanning_forests.h"
#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {

// Makes trees shallower by simulated annealing with `effort` tries. In each try, two trees exchange links, or
// a tree takes an unused copy of a link. Roots do not change. `hop_ns[link]` is the delay that a hop over the
// link adds, and `left[link]` is its number of unused copies.
void flatten_trees(std::span<const SymmetricLink> links, std::span<const double> hop_ns,
                   std::vector<int>& left, std::int64_t effort, std::uint64_t seed,
                   std::vector<RootedTree>& trees);

}  // namespace coppice::schedule
