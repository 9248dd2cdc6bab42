#pragma once

#include <cstdint>

namespace coppice::fabric {

using PacketId = std::uint32_t;

// A flit as stored in a virtual-channel buffer. The buffer implies the flit's port and virtual channel, and
// the packet determines the flit's contents.
struct Flit {
  PacketId packet = 0;
  std::uint32_t sequence : 31 = 0;  // index within the packet, from 0
  std::uint32_t tail : 1 = 0;

  bool is_head() const { return sequence == 0; }
};
static_assert(sizeof(Flit) == 8);

}  // namespace coppice::fabric
