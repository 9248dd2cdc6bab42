#pragma once

#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Rings through every accelerator that share no channel: Hamiltonian cycles over links, each in both
// directions, parallel links counting one by one. Searches exhaustively up to `effort` steps and returns the
// most rings it finds, at most as many as the fewest links of an accelerator allow; none where there is no
// cycle, where accelerators have switches between them or channels have none back, or with fewer than three.
// A ring is its channels in order, from accelerator 0.
std::vector<std::vector<topology::ChannelId>> channel_rings(const topology::Topology& topology,
                                                            std::int64_t effort = 2'000'000);

}  // namespace coppice::schedule
