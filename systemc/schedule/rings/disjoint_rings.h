#pragma once

#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Rings through every accelerator that share no channel: Hamiltonian cycles over links, each in both
// directions; parallel links count separately. Searches exhaustively up to `effort` steps and returns the
// largest set of rings found; the accelerator with the fewest links limits their number. Returns none if
// there is no cycle, if there are switches between accelerators, if a channel has no reverse, or if there are
// fewer than three accelerators. A ring lists its channels in order, from accelerator 0.
std::vector<std::vector<topology::ChannelId>> channel_rings(const topology::Topology& topology,
                                                            std::int64_t effort = 2'000'000);

}  // namespace coppice::schedule
