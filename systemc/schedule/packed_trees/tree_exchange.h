#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/packed_trees/spanning_forests.h"
#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {

// Makes trees shallower: two trees exchange links, or a tree takes one of which `left` [link] has a copy, by
// simulated annealing over `effort` tries. Roots stay. `hop_ns` [link]: what a level over it costs.
void flatten_trees(std::span<const SymmetricLink> links, std::span<const double> hop_ns,
                   std::vector<int>& left, std::int64_t effort, std::uint64_t seed,
                   std::vector<RootedTree>& trees);

}  // namespace coppice::schedule
