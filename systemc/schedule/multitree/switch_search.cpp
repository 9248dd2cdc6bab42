#include "schedule/multitree/switch_search.h"

#include <algorithm>

namespace coppice::schedule {

using topology::ChannelId;
using topology::NodeId;

SwitchSearch::SwitchSearch(const topology::Topology& topology, const LinkAllocator& links)
    : topology_(topology), links_(links), seen_in_(static_cast<std::size_t>(topology.num_nodes()), 0) {}

ChannelPath SwitchSearch::find(ChannelId first, int reach, const Wanted& wanted) {
  ++search_;
  cut_short_ = false;
  reached_.clear();
  come_to(topology_.channel(first).dst, first, -1, 0);
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    if (ChannelPath path = end_at(i, wanted); !path.empty()) return path;
    go_on(i, reach);
  }
  return {};
}

void SwitchSearch::come_to(NodeId at, ChannelId over, std::int32_t from, int hops) {
  seen_in_[static_cast<std::size_t>(at)] = search_;
  reached_.push_back({at, over, from, hops});
}

ChannelPath SwitchSearch::path_to(std::size_t place) const {
  ChannelPath path;
  for (auto i = static_cast<std::int32_t>(place); i >= 0; i = reached_[static_cast<std::size_t>(i)].from) {
    path.push_back(reached_[static_cast<std::size_t>(i)].over);
  }
  std::ranges::reverse(path);
  return path;
}

ChannelPath SwitchSearch::end_at(std::size_t place, const Wanted& wanted) const {
  for (const ChannelId id : topology_.out_channels(reached_[place].at)) {
    const NodeId node = topology_.channel(id).dst;
    if (!topology_.is_accelerator(node) || !links_.is_free(id) || !wanted(node)) continue;
    ChannelPath path = path_to(place);
    path.push_back(id);
    if (links_.uniform() || links_.fits(path)) return path;
  }
  return {};
}

void SwitchSearch::go_on(std::size_t place, int reach) {
  const Reached here = reached_[place];
  for (const ChannelId id : topology_.out_channels(here.at)) {
    const NodeId next = topology_.channel(id).dst;
    if (topology_.is_accelerator(next) || seen_in_[static_cast<std::size_t>(next)] == search_ ||
        !links_.is_free(id)) {
      continue;
    }
    if (here.hops == reach) {
      cut_short_ = true;
      return;
    }
    come_to(next, id, static_cast<std::int32_t>(place), here.hops + 1);
  }
}

}  // namespace coppice::schedule
