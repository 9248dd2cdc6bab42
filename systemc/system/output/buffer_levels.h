#pragma once

#include <queue>
#include <vector>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "topology/topology.h"

namespace coppice::system {

// How many flits each channel's input buffer holds, all virtual channels together, from the events of flits
// that follow source routes: a flit is in the buffer from its arrival until it wins the switch behind it.
// Kept as the largest number in every window of `kWindow` cycles.
class BufferLevels {
 public:
  static constexpr Cycles kWindow = 64;

  // A buffer's largest number of flits in the windows from the one that begins at `from` until the next
  // level.
  struct Level {
    Cycles from;
    int most;
  };

  // `topology` must outlive this.
  BufferLevels(const topology::Topology& topology, const config::SystemConfig& system);

  // Events must come in order of time.
  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now);

  // The levels of a channel's buffer, in order of time; the last is 0. Empty if it never held a flit.
  std::vector<Level> levels(topology::ChannelId channel) const;

 private:
  struct Buffer {
    std::queue<Cycles> arriving;  // flits on the channel
    int held = 0;
    Cycles window = 0;  // the beginning of the window that `most` belongs to
    int most = 0;
    std::vector<Level> levels;
  };

  // Counts the flits that have arrived by `now`.
  static void arrive(Buffer& buffer, Cycles now);
  // Closes the window before that of `now`, and the windows between them, in which nothing changed.
  static void enter_window(Buffer& buffer, Cycles now);
  static void note(std::vector<Level>& levels, Level level);
  // The channel over which the packet came to the event's node; -1 if from the network interface.
  topology::ChannelId came_over(const fabric::FlitEvent& event, const fabric::Packet& packet) const;

  const topology::Topology& topology_;
  std::vector<Cycles> travel_;   // [channel] from the switch to the next buffer
  std::vector<Buffer> buffers_;  // [channel]
};

}  // namespace coppice::system
