#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/packed_trees/arborescences.h"
#include "topology/topology.h"

namespace coppice::schedule {

// A network whose channels are divided by pace: each switch is replaced by one switch for each pace, and each
// channel by one channel for each pace that it can keep. Messages of a pace cross only channels and switches
// of that pace, so that the time for which they occupy a port is known.
struct PacedNetwork {
  topology::Topology network;
  std::vector<topology::ChannelId> channels;  // [channel of the network]: channel of the machine
  double bytes_per_second = 0;                // the rate of all trees
};

// Which messages occupy ports: those down the trees (from roots), those up the reversed trees, or both, at
// the same time, on the same channels.
enum class TreeUse : std::uint8_t { kDown, kUp, kBoth };

// Divides the bandwidth of all channels among paces such that the trees that fit into the resulting network
// (pack_arborescences()) have the highest possible total rate if messages occupy their sender's port for as
// long as the slowest channel on their path needs. The division is the solution of a linear program with a
// constraint for each cut between the roots and an accelerator; cuts are added as maximum flows find them.
// With kUp, the direction of all channels of `topology` is already reversed. With kBoth, `twins` contains the
// reverse channel of each channel. Returns nullopt if the program is too large (more than
// 20,000 columns times accelerators) or is not solved within 300 rounds of cuts.
std::optional<PacedNetwork> divide_by_pace(const topology::Topology& topology, Roots roots, TreeUse use,
                                           std::span<const topology::ChannelId> twins);

}  // namespace coppice::schedule
