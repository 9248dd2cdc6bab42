#pragma once

#include <span>

#include "config/config.h"
#include "topology/routing.h"
#include "topology/topology.h"

namespace coppice::fabric {

// A route without contention.
struct RouteTiming {
  Cycles latency = 0;             // from a flit's injection to its ejection; a head and all behind it alike
  Femtoseconds slowest_flit = 0;  // flit time of its slowest channel, the network interfaces' included
};

// By the pipeline of Router and FlitFabric: two cycles of injection, then per router routing, VC allocation,
// switch allocation and traversal, and its output channel.
RouteTiming time_route(const topology::Topology& topology, const config::SystemConfig& system,
                       topology::NodeId src, std::span<const topology::Hop> route);

// Whole clock periods of a channel's latency, rounded up.
inline Cycles latency_cycles(Femtoseconds latency, Femtoseconds period) {
  return (latency + period - 1) / period;
}

// Latency of the channels between a network interface and its router.
inline constexpr Cycles kNiChannelLatency = 1;
// From a flit's injection to the router's input buffer.
inline constexpr Cycles kInjectionDelay = 1 + kNiChannelLatency;

// Flit time of a channel of `bandwidth`, in time of the model's clock: a channel of one flit in k cycles has
// k periods exactly, also where the period is rounded to a femtosecond.
Femtoseconds channel_flit_time(const config::SystemConfig& system, Bandwidth bandwidth);

// Flit time of an ejection channel: the reduction unit behind it sets the rate.
Femtoseconds ejection_flit_time(const config::SystemConfig& system);

}  // namespace coppice::fabric
