#pragma once

#include <algorithm>

#include "fabric/framing.h"

namespace coppice::system {

// The largest share of the bytes of a message's flits that can be data. Packets of at most `payload` bytes
// each have a head flit; the single head flit of message-based flow control is neglected.
inline double data_share(const fabric::Framing& framing) {
  if (framing.flow_control == config::FlowControl::kMessage) return 1;
  const auto share = [&](Bytes bytes) {
    return static_cast<double>(bytes) / static_cast<double>(framing.flits(bytes) * framing.flit);
  };
  // A full packet has the largest share unless its last flit is nearly empty.
  const Bytes whole_flits = framing.payload / framing.flit * framing.flit;
  return std::max(share(framing.payload), whole_flits > 0 ? share(whole_flits) : 0);
}

// The larger of the bandwidth and latency bounds on a collective's time if data is sent in packets. This
// raises the bandwidth bound, because the data that must cross between groups of accelerators makes up at
// most data_share() of the flits that carry it.
inline double framed_bound_ns(const fabric::Framing& framing, double bandwidth_ns, double latency_ns) {
  return std::max(bandwidth_ns / data_share(framing), latency_ns);
}

// The largest possible efficiency of a schedule: the larger bound divided by framed_bound_ns(); 1 if there is
// nothing to send.
inline double attainable_efficiency(const fabric::Framing& framing, double bandwidth_ns, double latency_ns) {
  const double framed = framed_bound_ns(framing, bandwidth_ns, latency_ns);
  return framed > 0 ? std::max(bandwidth_ns, latency_ns) / framed : 1;
}

}  // namespace coppice::system
