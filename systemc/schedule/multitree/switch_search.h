#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "schedule/trees/link_allocator.h"

namespace coppice::schedule {

// Finds paths for trees through switches, over channels that are free in the current timestep.
class SwitchSearch {
 public:
  // `topology` and `links` must outlive this object.
  SwitchSearch(const topology::Topology& topology, const LinkAllocator& links);

  using Wanted = std::function<bool(topology::NodeId)>;

  // Returns a path that begins with `first`, a free channel from an accelerator to a switch, and ends at an
  // accelerator for which `wanted` is true. The path has as few channels between switches as possible, and at
  // most `reach`. If there are several such paths, returns the first in the order of outgoing channels; if
  // there is none, the result is empty.
  ChannelPath find(topology::ChannelId first, int reach, const Wanted& wanted);

  // Whether the last search failed only because of the limit `reach`.
  bool cut_short() const { return cut_short_; }

 private:
  struct Reached {
    topology::NodeId at;
    topology::ChannelId over;  // channel over which the search arrived
    std::int32_t from;         // index into reached_; -1 for the first element
    int hops;                  // number of channels between switches so far
  };

  void come_to(topology::NodeId at, topology::ChannelId over, std::int32_t from, int hops);
  void go_on(std::size_t place, int reach);
  ChannelPath path_to(std::size_t place) const;
  // Returns the path that ends at a wanted accelerator of this switch; empty if there is none.
  ChannelPath end_at(std::size_t place, const Wanted& wanted) const;

  const topology::Topology& topology_;
  const LinkAllocator& links_;
  std::vector<std::int32_t> seen_in_;  // [node]: number of the last search that visited it
  std::int32_t search_ = 0;
  std::vector<Reached> reached_;
  bool cut_short_ = false;
};

}  // namespace coppice::schedule
