#pragma once

#include <cstdint>
#include <vector>

#include "cosim/ni_head.h"
#include "fabric/packet.h"
#include "ni/memory/message_record.h"
#include "ni/ni_context.h"
#include "workload/layer.h"

namespace coppice::cosim {

// Memory is addressed in words of one fp32 value each.
inline constexpr Bytes kWordBytes = workload::kElementBytes;
constexpr std::uint32_t words_of(Bytes bytes) {
  return static_cast<std::uint32_t>((bytes + kWordBytes - 1) / kWordBytes);
}

// The contents of a message's head flits, including the source route, in the form that rtl/ni/packetizer.v
// writes.
FlitBits head_bits(const ni::NiContext& context, const ni::MessageRecord& record,
                   const fabric::Packet& packet);
std::uint64_t route_bits(const topology::Route& route);

// Stores the 128 bits of every flit in flight. SystemC modules identify a flit by the ID of its packet and a
// sequence number. Verilog modules read the bits from this object and write their outputs to it. If no module
// has written the bits of a flit, they are those that a SystemC network interface would send: a head with its
// route, or data from the payload of the message.
class FlitContents {
 public:
  explicit FlitContents(const ni::NiContext& context) : context_(&context) {}

  FlitBits read(fabric::PacketId id, const fabric::Packet& packet, std::uint32_t sequence) const;
  // Stores the bits of a flit. If values are kept, data is also written to the payload of the message.
  void write(fabric::PacketId id, const fabric::Packet& packet, std::uint32_t sequence, const FlitBits& bits);

 private:
  struct Contents {
    // The packet to which the flits belong. It is identified by `src` and the fields below, because IDs of
    // packets are reused.
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

  // payload_bits(): the bits of a data flit, read from the payload of the message. first_value(): the index
  // of the first value in the flit.
  FlitBits payload_bits(const fabric::Packet& packet, std::uint32_t sequence) const;
  std::size_t first_value(const fabric::Packet& packet, std::uint32_t sequence) const;

  const ni::NiContext* context_;
  std::vector<Contents> packets_;  // [packet ID]
};

}  // namespace coppice::cosim
