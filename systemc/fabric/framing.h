#pragma once

#include <cstdint>

#include "base/units.h"
#include "config/settings/config.h"

namespace coppice::fabric {

// Describes how a gradient message is divided into flits. With packet-based flow control, a message consists
// of packets of at most `payload` bytes, each of which starts with a head flit. With message-based flow
// control (MultiTree), a single head flit carries the source route for the whole message; the heads of
// sub-messages carry data, so they add no flits.
struct Framing {
  config::FlowControl flow_control = config::FlowControl::kPacket;
  Bytes flit = 16;
  Bytes payload = 256;

  std::int64_t packets(Bytes bytes) const {
    return flow_control == config::FlowControl::kMessage ? 1 : (bytes + payload - 1) / payload;
  }
  // The number of flits, including the head, in packet `index` of a message with `bytes` of data.
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
