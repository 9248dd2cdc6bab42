#pragma once

#include <cstdint>

namespace coppice::fabric {

using PacketId = std::uint32_t;

// The unit of flow control, as it lies in a virtual-channel buffer. Which channel and virtual channel it is
// on is where it lies; what it carries belongs to its packet.
struct Flit {
  PacketId packet = 0;
  std::uint32_t sequence : 31 = 0;  // within the packet, from 0
  std::uint32_t tail : 1 = 0;

  bool is_head() const { return sequence == 0; }
};
static_assert(sizeof(Flit) == 8);

}  // namespace coppice::fabric
