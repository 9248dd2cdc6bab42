#pragma once

#include <cstdint>
#include <vector>

#include "cosim/ni_head.h"
#include "fabric/packet.h"
#include "ni/memory/message_record.h"
#include "ni/ni_context.h"
#include "workload/layer.h"

namespace coppice::cosim {

// Memory is addressed in words of one fp32 element each.
inline constexpr Bytes kWordBytes = workload::kElementBytes;
constexpr std::uint32_t words_of(Bytes bytes) {
  return static_cast<std::uint32_t>((bytes + kWordBytes - 1) / kWordBytes);
}

// The contents of a message's head flits, as rtl/ni/packetizer.v writes them, including the source route.
FlitBits head_bits(const ni::NiContext& context, const ni::MessageRecord& record,
                   const fabric::Packet& packet);
std::uint64_t route_bits(const topology::Route& route);

// The 128 bits of every flit in flight. SystemC modules move flits as a packet's identity and a sequence
// number; Verilog modules read the bits here and store their outputs here. Bits that no module has written
// are those that a SystemC network interface would send: a head with its route, or data from the message's
// payload.
class FlitContents {
 public:
  explicit FlitContents(const ni::NiContext& context) : context_(&context) {}

  FlitBits read(fabric::PacketId id, const fabric::Packet& packet, std::uint32_t sequence) const;
  // Stores the bits; if values are kept, also writes data into the message's payload.
  void write(fabric::PacketId id, const fabric::Packet& packet, std::uint32_t sequence, const FlitBits& bits);

 private:
  struct Contents {
    // The flit's packet, which `src` and the fields below it identify, since identities are reused.
    topology::NodeId src = topology::kNoNode;
    std::uint64_t message = 0;
    std::uint32_t index = 0;
    Cycles created = -1;
    std::vector<FlitBits> flits;
    std::vector<bool> written;

    bool of(const fabric::Packet& packet) const {
      return src == packet.src && message == packet.tag && index == packet.index && created == packet.created;
    }
  };

  // The bits of a data flit, read from the message's payload. first_value(): the index of its first value.
  FlitBits payload_bits(const fabric::Packet& packet, std::uint32_t sequence) const;
  std::size_t first_value(const fabric::Packet& packet, std::uint32_t sequence) const;

  const ni::NiContext* context_;
  std::vector<Contents> packets_;  // [packet identity]
};

}  // namespace coppice::cosim
