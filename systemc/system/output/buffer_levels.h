#pragma once

#include <queue>
#include <vector>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "topology/topology.h"

namespace coppice::system {

// The number of flits in each channel's input buffer, summed over virtual channels, derived from the events
// of flits with source routes: a flit is in the buffer from its arrival until it wins the switch behind the
// buffer. Stores the maximum in every window of `kWindow` cycles.
class BufferLevels {
 public:
  static constexpr Cycles kWindow = 64;

  // A buffer's maximum number of flits in each window, from the window that begins at `from` until the next
  // level.
  struct Level {
    Cycles from;
    int most;
  };

  // `topology` must outlive this object.
  BufferLevels(const topology::Topology& topology, const config::SystemConfig& system);

  // Calls must be in time order.
  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now);

  // The levels of a channel's buffer in time order, the last of which is 0; empty if it never held a flit.
  std::vector<Level> levels(topology::ChannelId channel) const;

 private:
  struct Buffer {
    std::queue<Cycles> arriving;  // arrival times of flits on the channel
    int held = 0;
    Cycles window = 0;  // start of the window to which `most` applies
    int most = 0;
    std::vector<Level> levels;
  };

  // Adds the flits that have arrived by `now`.
  static void arrive(Buffer& buffer, Cycles now);
  // Begins the window that contains `now`; records the level of the previous window and of the windows in
  // between, in which nothing changed.
  static void enter_window(Buffer& buffer, Cycles now);
  static void note(std::vector<Level>& levels, Level level);
  // The channel on which the packet arrived at the event's node; -1: injected by the network interface.
  topology::ChannelId came_over(const fabric::FlitEvent& event, const fabric::Packet& packet) const;

  const topology::Topology& topology_;
  std::vector<Cycles> travel_;   // [channel]: time from the switch to the next buffer
  std::vector<Buffer> buffers_;  // [channel]
};

}  // namespace coppice::system
