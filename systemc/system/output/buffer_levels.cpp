#include "system/output/buffer_levels.h"

#include <algorithm>

#include "fabric/route_timing.h"

namespace coppice::system {

BufferLevels::BufferLevels(const topology::Topology& topology, const config::SystemConfig& system)
    : topology_(topology), buffers_(topology.channels().size()) {
  const Cycles traversal = system.router.sw_alloc_delay + system.router.st_delay;
  for (const topology::Channel& channel : topology.channels())
    travel_.push_back(traversal + fabric::flit_latency(system, channel));
}

topology::ChannelId BufferLevels::came_over(const fabric::FlitEvent& event,
                                            const fabric::Packet& packet) const {
  topology::ChannelId over = -1;
  topology::NodeId node = packet.src;
  for (const topology::Hop* hop = packet.route; node != event.node || hop->out_port != event.out_port;
       ++hop) {
    over = topology_.out_channels(node)[hop->out_port];
    node = topology_.channel(over).dst;
  }
  return over;
}

void BufferLevels::flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) {
  if (event.out_port < 0 || packet.route == nullptr) return;
  if (const topology::ChannelId over = came_over(event, packet); over >= 0) {
    Buffer& buffer = buffers_[static_cast<std::size_t>(over)];
    arrive(buffer, now);
    enter_window(buffer, now);
    --buffer.held;
  }
  if (event.ni_port >= 0) return;
  const topology::ChannelId to = topology_.out_channels(event.node)[static_cast<std::size_t>(event.out_port)];
  const auto channel = static_cast<std::size_t>(to);
  buffers_[channel].arriving.push(now + travel_[channel]);
}

void BufferLevels::arrive(Buffer& buffer, Cycles now) {
  for (; !buffer.arriving.empty() && buffer.arriving.front() <= now; buffer.arriving.pop()) {
    enter_window(buffer, buffer.arriving.front());
    buffer.most = std::max(buffer.most, ++buffer.held);
  }
}

void BufferLevels::enter_window(Buffer& buffer, Cycles now) {
  const Cycles window = now - now % kWindow;
  if (window == buffer.window) return;
  note(buffer.levels, {buffer.window, buffer.most});
  if (buffer.window + kWindow < window) note(buffer.levels, {buffer.window + kWindow, buffer.held});
  buffer.window = window;
  buffer.most = buffer.held;
}

void BufferLevels::note(std::vector<Level>& levels, Level level) {
  if (level.most != (levels.empty() ? 0 : levels.back().most)) levels.push_back(level);
}

std::vector<BufferLevels::Level> BufferLevels::levels(topology::ChannelId channel) const {
  const Buffer& buffer = buffers_[static_cast<std::size_t>(channel)];
  std::vector<Level> levels = buffer.levels;
  note(levels, {buffer.window, buffer.most});
  note(levels, {buffer.window + kWindow, buffer.held});
  return levels;
}

}  // namespace coppice::system
