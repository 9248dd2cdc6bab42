#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/packed_trees/spanning_forests.h"
#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {

// Makes trees shallower by simulated annealing over `effort` tries: two trees exchange links, or a tree takes
// a link of which `left` [link] has a spare copy. Roots do not change. `hop_ns` [link]: the cost of a level
// over the link.
void flatten_trees(std::span<const SymmetricLink> links, std::span<const double> hop_ns,
                   std::vector<int>& left, std::int64_t effort, std::uint64_t seed,
                   std::vector<RootedTree>& trees);

}  // namespace coppice::schedule
