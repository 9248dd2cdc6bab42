#pragma once

#include <queue>
#include <vector>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "topology/topology.h"

namespace coppice::system {

// The number of flits in each channel's input buffer over time, summed over virtual channels. A flit occupies
// the buffer from its arrival until it wins the switch behind the buffer; both times are derived from the
// events of source-routed flits. Stores the maximum in each window of `kWindow` cycles.
class BufferLevels {
 public:
  static constexpr Cycles kWindow = 64;

  // The maximum number of flits in a buffer, which is the same in every window from the one that begins at
  // `from` until the next level.
  struct Level {
    Cycles from;
    int most;
  };

  // `topology` must outlive this object.
  BufferLevels(const topology::Topology& topology, const config::SystemConfig& system);

  // Calls must be in the order of time.
  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now);

  // The levels of a channel's buffer in the order of time. The last level is 0; the list is empty if the
  // buffer never held a flit.
  std::vector<Level> levels(topology::ChannelId channel) const;

 private:
  struct Buffer {
    std::queue<Cycles> arriving;  // the times at which flits on the channel will arrive
    int held = 0;
    Cycles window = 0;  // start of the window to which `most` applies
    int most = 0;
    std::vector<Level> levels;
  };

  // Adds all flits that arrive up to `now`.
  static void arrive(Buffer& buffer, Cycles now);
  // Begins the window that contains `now`. Records the level of the previous window, and of any windows
  // between the two, in which nothing changed.
  static void enter_window(Buffer& buffer, Cycles now);
  static void note(std::vector<Level>& levels, Level level);
  // The channel on which the packet arrived at the event's node, or -1 if the network interface injected it.
  topology::ChannelId came_over(const fabric::FlitEvent& event, const fabric::Packet& packet) const;

  const topology::Topology& topology_;
  std::vector<Cycles> travel_;   // [channel]: time from the switch to the next buffer
  std::vector<Buffer> buffers_;  // [channel]: its input buffer
};

}  // namespace coppice::system
