#pragma once

#include <span>

#include "config/settings/config.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::fabric {

// The timing of a route without contention.
struct RouteTiming {
  Cycles latency = 0;  // from a flit's injection to its ejection; the same for all flits
  // The flit time of the route's slowest channel, including the channels of network interfaces.
  Femtoseconds slowest_flit = 0;
  // If a virtual channel's buffer of D flits does not cover the credit loop (channel_credit_loop()), flits
  // wait for credits even without other traffic. After each D flits, a packet longer than D waits
  // `packet_stall` cycles; after D flits on each virtual channel, any message waits `message_stall` cycles;
  // both for the worst channel. The final waits on all channels may add up once, to `last_stall`.
  Cycles packet_stall = 0;
  Cycles message_stall = 0;
  Cycles last_stall = 0;
  int vcs = 0;  // the smallest number of virtual channels from which a hop may choose
};

// Computes the timing from the pipeline of Router and FlitFabric: two cycles of injection; then, per router,
// routing, VC allocation, switch allocation, switch traversal and the output channel.
RouteTiming time_route(const topology::Topology& topology, const config::SystemConfig& system,
                       topology::NodeId src, std::span<const topology::Hop> route);

// The maximum number of cycles for which credits alone delay `flits` in packets of at most `packet_flits` on
// a route with this timing.
Cycles credit_stall(const RouteTiming& timing, const config::SystemConfig& system, std::int64_t flits,
                    std::int64_t packet_flits);

// Cycles from a flit's switch grant before a channel until its slot in the next router is known to be free
// again, if the flit leaves that router immediately.
Cycles channel_credit_loop(const config::SystemConfig& system, const topology::Channel& channel);

// Cycles from a flit's departure from a router until its last bit has arrived: the channel's latency, plus
// the part of the flit time in excess of one cycle. Credits need only the latency.
Cycles flit_latency(const config::SystemConfig& system, const topology::Channel& channel);

// A channel's latency in whole clock periods, rounded up.
inline Cycles latency_cycles(Femtoseconds latency, Femtoseconds period) {
  return (latency + period - 1) / period;
}

// Cycles from a router's input buffer to that of the next router, without contention.
Cycles hop_latency(const config::SystemConfig& system, const topology::Channel& channel);

// The latency of a route excluding its hops over channels: injection, and the last router up to its ejection
// channel.
Cycles end_latency(const config::SystemConfig& system);

// Latency of the channels between a network interface and its router.
inline constexpr Cycles kNiChannelLatency = 1;
// Cycles from a flit's injection to the router's input buffer.
inline constexpr Cycles kInjectionDelay = 1 + kNiChannelLatency;

// The flit time of a channel of `bandwidth` in the model's clock: a channel with one flit every k cycles
// needs exactly k periods per flit, even if the period is rounded to a femtosecond.
Femtoseconds channel_flit_time(const config::SystemConfig& system, Bandwidth bandwidth);

// The flit time of an ejection channel, set by the reduction unit of an accelerator or a switch.
Femtoseconds ejection_flit_time(const config::SystemConfig& system, bool at_switch = false);

}  // namespace coppice::fabric
