#pragma once

#include <string>
#include <vector>

#include "schedule/trees/tree_steps.h"

namespace coppice::schedule {

// The partner of every accelerator in one stage of an all-gather; partner[partner[a]] is a.
using Partners = std::vector<NodeId>;

// Builds the trees of all-gathers among a power-of-two number of accelerators in which partners exchange all
// the data that they hold, stage by stage. pieces[p] contains the stages for piece p of every chunk; all
// pieces move concurrently. Stage t takes 2^t timesteps of one piece each. Throws ModelError if an
// accelerator would receive a piece twice.
Trees pairwise_trees(const std::vector<std::vector<Partners>>& pieces);

// Throws UnsupportedError unless `accelerators` is a power of two. The error names `algorithm` and `network`.
void require_power_of_two(const std::string& algorithm, const std::string& network, int accelerators);

}  // namespace coppice::schedule
