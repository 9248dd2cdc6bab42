#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "schedule/packed_trees/circuits.h"

namespace coppice::schedule {

// Requires that every circuit is a path through switches only, and that the circuits over each channel do not
// exceed its bandwidth.
inline void require_sound(const topology::Topology& topology, const Circuits& circuits) {
  RC_ASSERT(circuits.paths.size() == circuits.network.channels().size());
  std::vector<std::int64_t> left;
  for (const topology::Channel& channel : topology.channels())
    left.push_back(channel.bandwidth.bytes_per_second);
  for (std::size_t i = 0; i < circuits.paths.size(); ++i) {
    const topology::Channel& circuit = circuits.network.channel(static_cast<topology::ChannelId>(i));
    topology::NodeId at = circuit.src;
    for (const topology::ChannelId id : circuits.paths[i]) {
      RC_ASSERT(at == topology.channel(id).src);
      RC_ASSERT(at == circuit.src || !topology.is_accelerator(at));
      at = topology.channel(id).dst;
      left[static_cast<std::size_t>(id)] -= circuit.bandwidth.bytes_per_second;
    }
    RC_ASSERT(at == circuit.dst);
  }
  for (const std::int64_t rest : left) RC_ASSERT(rest >= 0);
}

}  // namespace coppice::schedule
