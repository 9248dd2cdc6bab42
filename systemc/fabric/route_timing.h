#pragma once

#include <span>

#include "config/settings/config.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::fabric {

// The timing of a route in a network without other traffic.
struct RouteTiming {
  Cycles latency = 0;  // from a flit's injection to its ejection; the same for all flits
  // The flit time of the route's slowest channel, including the channels of network interfaces.
  Femtoseconds slowest_flit = 0;
  // If a buffer of D flits is too small for the credit loop (channel_credit_loop()), flits wait for credits
  // even without other traffic. On the worst channel, a packet with more than D flits waits for
  // `packet_stall` cycles after every D flits, and a message waits for `message_stall` cycles after every D
  // flits per virtual channel. At the end of a message, the waits on all channels may add up to `last_stall`
  // cycles.
  Cycles packet_stall = 0;
  Cycles message_stall = 0;
  Cycles last_stall = 0;
  int vcs = 0;  // smallest number of virtual channels that any hop of the route may use
};

// Computes the timing of a route from the pipelines of Router and FlitFabric: two cycles for injection and
// then, for each router, the delays of routing, VC allocation, switch allocation, switch traversal and the
// output channel.
RouteTiming time_route(const topology::Topology& topology, const config::SystemConfig& system,
                       topology::NodeId src, std::span<const topology::Hop> route);

// The maximum number of cycles by which waiting for credits delays `flits` flits, sent in packets of at most
// `packet_flits` flits, on a route with this timing and without other traffic.
Cycles credit_stall(const RouteTiming& timing, const config::SystemConfig& system, std::int64_t flits,
                    std::int64_t packet_flits);

// The credit loop of a channel, in cycles: from a flit's switch grant at the sender until the sender knows
// that the flit's slot in the next router is free again, if the flit leaves that router immediately.
Cycles channel_credit_loop(const config::SystemConfig& system, const topology::Channel& channel);

// The number of cycles from a flit's departure from a router until its last bit has arrived: the channel's
// latency plus the time by which the flit time exceeds one cycle. A credit needs only the channel's latency.
Cycles flit_latency(const config::SystemConfig& system, const topology::Channel& channel);

// A channel's latency in whole clock periods, rounded up.
inline Cycles latency_cycles(Femtoseconds latency, Femtoseconds period) {
  return (latency + period - 1) / period;
}

// The number of cycles from a router's input buffer to the next router's input buffer, without contention.
Cycles hop_latency(const config::SystemConfig& system, const topology::Channel& channel);

// The part of a route's latency that is the same for all routes, in cycles: injection, the pipeline of the
// last router, and the ejection channel.
Cycles end_latency(const config::SystemConfig& system);

// The latency, in cycles, of a channel between a network interface and its router.
inline constexpr Cycles kNiChannelLatency = 1;
// The number of cycles from a flit's injection until it reaches the router's input buffer.
inline constexpr Cycles kInjectionDelay = 1 + kNiChannelLatency;

// The flit time of a channel with this bandwidth. A channel that carries one flit every k cycles takes
// exactly k clock periods per flit, even though the period is rounded to whole femtoseconds.
Femtoseconds channel_flit_time(const config::SystemConfig& system, Bandwidth bandwidth);

// The flit time of an ejection channel, which depends on the throughput of the reduction unit behind it: the
// unit of a switch if `at_switch` is set, otherwise that of an accelerator.
Femtoseconds ejection_flit_time(const config::SystemConfig& system, bool at_switch = false);

}  // namespace coppice::fabric
