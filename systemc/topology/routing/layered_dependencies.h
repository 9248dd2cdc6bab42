#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The channel dependencies in each layer of virtual channels. Every layer is kept free of cycles.
class LayeredDependencies {
 public:
  LayeredDependencies(const Topology& topology, int layers);

  // Whether packets in `layer` may hold `from` while they wait for `to` without closing a cycle in this
  // layer.
  bool allows(ChannelId from, ChannelId to, int layer);
  // Records a dependency for which allows() is true.
  void add(ChannelId from, ChannelId to, int layer);

 private:
  enum class Verdict : std::uint8_t { kAdded, kRefused };

  bool reaches(ChannelId from, ChannelId to, int layer);
  std::size_t vertex(ChannelId channel, int layer) const;
  std::uint64_t key(ChannelId from, ChannelId to, int layer) const;

  const Topology* topology_;
  std::size_t layers_;
  std::vector<std::vector<ChannelId>> successors_;  // [channel, layer]
  std::vector<bool> has_predecessor_;               // [channel, layer]
  // Cached results of allows(). A rejected dependency stays rejected, because dependencies are never removed.
  std::unordered_map<std::uint64_t, Verdict> verdicts_;
  std::vector<std::uint32_t> visited_;  // [channel]: number of the last search that visited it
  std::uint32_t search_ = 0;
};

}  // namespace coppice::topology
