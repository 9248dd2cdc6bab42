#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "schedule/trees/link_allocator.h"

namespace coppice::schedule {

// Finds paths for trees through switches, over channels that are free in the timestep.
class SwitchSearch {
 public:
  // `topology` and `links` must outlive this object.
  SwitchSearch(const topology::Topology& topology, const LinkAllocator& links);

  using Wanted = std::function<bool(topology::NodeId)>;

  // A path that begins with `first`, a free channel from an accelerator to a switch, and ends at an
  // accelerator that satisfies `wanted`, over as few channels between switches as possible and at most
  // `reach`; empty if there is none. Among several, the first in the order of out-channels.
  ChannelPath find(topology::ChannelId first, int reach, const Wanted& wanted);

  // Whether the last search stopped only because of its reach limit.
  bool cut_short() const { return cut_short_; }

 private:
  struct Reached {
    topology::NodeId at;
    topology::ChannelId over;  // the channel over which the search arrived
    std::int32_t from;         // index into reached_; -1 for the first
    int hops;                  // channels between switches so far
  };

  void come_to(topology::NodeId at, topology::ChannelId over, std::int32_t from, int hops);
  void go_on(std::size_t place, int reach);
  ChannelPath path_to(std::size_t place) const;
  // The path that ends at a wanted accelerator of this switch; empty if there is none.
  ChannelPath end_at(std::size_t place, const Wanted& wanted) const;

  const topology::Topology& topology_;
  const LinkAllocator& links_;
  std::vector<std::int32_t> seen_in_;  // [node]: the last search that visited it
  std::int32_t search_ = 0;
  std::vector<Reached> reached_;
  bool cut_short_ = false;
};

}  // namespace coppice::schedule
