#pragma once

#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Finds rings that share no channel and that each pass through every accelerator. These are Hamiltonian
// cycles over links; each cycle is used in both directions, and parallel links count separately. The search
// is exhaustive up to `effort` steps and returns the largest set of rings that it has found. The number of
// rings is limited by the accelerator with the fewest links. The result is empty if there is no cycle, if
// there are switches between accelerators, if a channel has no reverse channel, or if there are fewer than
// three accelerators. The channels of a ring are listed in order, starting at accelerator 0.
std::vector<std::vector<topology::ChannelId>> channel_rings(const topology::Topology& topology,
                                                            std::int64_t effort = 2'000'000);

}  // namespace coppice::schedule
