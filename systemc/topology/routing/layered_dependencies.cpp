#include "topology/routing/layered_dependencies.h"

namespace coppice::topology {

LayeredDependencies::LayeredDependencies(const Topology& topology, int layers)
    : topology_(&topology),
      layers_(static_cast<std::size_t>(layers)),
      successors_(topology.channels().size() * layers_),
      has_predecessor_(successors_.size()),
      visited_(topology.channels().size()) {}

std::size_t LayeredDependencies::vertex(ChannelId channel, int layer) const {
  return static_cast<std::size_t>(channel) * layers_ + static_cast<std::size_t>(layer);
}

std::uint64_t LayeredDependencies::key(ChannelId from, ChannelId to, int layer) const {
  return vertex(from, layer) * topology_->channels().size() + static_cast<std::uint64_t>(to);
}

bool LayeredDependencies::reaches(ChannelId from, ChannelId to, int layer) {
  ++search_;
  std::vector<ChannelId> pending{from};
  while (!pending.empty()) {
    const ChannelId channel = pending.back();
    pending.pop_back();
    if (channel == to) return true;
    for (const ChannelId next : successors_[vertex(channel, layer)]) {
      auto& seen = visited_[static_cast<std::size_t>(next)];
      if (seen == search_) continue;
      seen = search_;
      pending.push_back(next);
    }
  }
  return false;
}

bool LayeredDependencies::allows(ChannelId from, ChannelId to, int layer) {
  if (const auto known = verdicts_.find(key(from, to, layer)); known != verdicts_.end()) {
    return known->second == Verdict::kAdded;
  }
  // No search is needed for channels on which paths only begin or end. In networks with switches, most
  // channels are of this kind.
  if (!has_predecessor_[vertex(from, layer)] || successors_[vertex(to, layer)].empty()) return true;
  if (!reaches(to, from, layer)) return true;
  verdicts_.emplace(key(from, to, layer), Verdict::kRefused);
  return false;
}

void LayeredDependencies::add(ChannelId from, ChannelId to, int layer) {
  if (!verdicts_.emplace(key(from, to, layer), Verdict::kAdded).second) return;
  successors_[vertex(from, layer)].push_back(to);
  has_predecessor_[vertex(to, layer)] = true;
}

}  // namespace coppice::topology
