#pragma once

#include <cstdint>

namespace coppice::fabric {

using PacketId = std::uint32_t;

// The unit of flow control, as stored in a virtual-channel buffer. The buffer determines its port and virtual
// channel, the packet its contents.
struct Flit {
  PacketId packet = 0;
  std::uint32_t sequence : 31 = 0;  // index within the packet, from 0
  std::uint32_t tail : 1 = 0;

  bool is_head() const { return sequence == 0; }
};
static_assert(sizeof(Flit) == 8);

}  // namespace coppice::fabric
