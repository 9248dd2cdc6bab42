#pragma once

#include <cstdint>

#include "base/units.h"
#include "config/settings/config.h"

namespace coppice::fabric {

// The division of a gradient message into flits. Packet-based: packets of at most `payload` bytes, each with
// a head flit before its data. Message-based: one head flit with the source route for the whole message; the
// heads of its sub-messages carry data and cost nothing (MultiTree, message-based flow control).
struct Framing {
  config::FlowControl flow_control = config::FlowControl::kPacket;
  Bytes flit = 16;
  Bytes payload = 256;

  std::int64_t packets(Bytes bytes) const {
    return flow_control == config::FlowControl::kMessage ? 1 : (bytes + payload - 1) / payload;
  }
  // The number of flits of packet `index` of a message of `bytes`, including its head.
  std::int64_t packet_flits(Bytes bytes, std::int64_t index) const {
    if (flow_control == config::FlowControl::kMessage) return 1 + data_flits(bytes);
    const Bytes left = bytes - index * payload;
    return 1 + data_flits(left < payload ? left : payload);
  }
  std::int64_t flits(Bytes bytes) const {
    if (flow_control == config::FlowControl::kMessage) return 1 + data_flits(bytes);
    const std::int64_t whole = bytes / payload;
    const Bytes rest = bytes % payload;
    return whole * (1 + data_flits(payload)) + (rest > 0 ? 1 + data_flits(rest) : 0);
  }

 private:
  std::int64_t data_flits(Bytes bytes) const { return (bytes + flit - 1) / flit; }
};

}  // namespace coppice::fabric
