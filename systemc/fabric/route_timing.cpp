#include "fabric/route_timing.h"

#include <algorithm>
#include <cmath>

#include "base/time_limit.h"
#include "config/settings/link_limits.h"

namespace coppice::fabric {

Femtoseconds channel_flit_time(const config::SystemConfig& system, Bandwidth bandwidth) {
  return config::link_flit_time(system, bandwidth);
}

Femtoseconds ejection_flit_time(const config::SystemConfig& system, bool at_switch) {
  const Femtoseconds period = system.clock.period();
  const auto& adder = system.switches.reduction_bandwidth;
  if (at_switch && adder) return std::max(period, channel_flit_time(system, *adder));
  const double rate = system.ni.reduction_flits_per_cycle;
  return rate >= 1.0 ? period : static_cast<Femtoseconds>(std::llround(static_cast<double>(period) / rate));
}

Cycles flit_latency(const config::SystemConfig& system, const topology::Channel& channel) {
  return config::flit_latency(system, channel.bandwidth, channel.latency);
}

Cycles channel_credit_loop(const config::SystemConfig& system, const topology::Channel& channel) {
  return config::credit_loop(system, channel.bandwidth, channel.latency);
}

namespace {

Cycles pipeline(const config::SystemConfig& system) {
  const config::RouterConfig& router = system.router;
  return router.routing_delay + router.vc_alloc_delay + (router.sw_alloc_delay - 1) + router.st_delay + 1;
}

void add_credit_stalls(RouteTiming& timing, const config::SystemConfig& system, Cycles credit_loop,
                       Femtoseconds flit_time, int vcs) {
  const Cycles block = capped_time(system.router.vc_depth, flit_time) / system.clock.period();
  const Cycles packet_stall = std::max<Cycles>(0, credit_loop - block);
  timing.packet_stall = std::max(timing.packet_stall, packet_stall);
  timing.message_stall = std::max(timing.message_stall, credit_loop - block * vcs);
  timing.last_stall += packet_stall;
  timing.vcs = timing.vcs == 0 ? vcs : std::min(timing.vcs, vcs);
}

}  // namespace

Cycles hop_latency(const config::SystemConfig& system, const topology::Channel& channel) {
  return pipeline(system) + flit_latency(system, channel);
}

Cycles end_latency(const config::SystemConfig& system) {
  return kInjectionDelay + pipeline(system) + kNiChannelLatency;
}

Cycles credit_stall(const RouteTiming& timing, const config::SystemConfig& system, std::int64_t flits,
                    std::int64_t packet_flits) {
  const int depth = system.router.vc_depth;
  const bool packets_wait = packet_flits > depth && timing.packet_stall > 0;
  if (!packets_wait && timing.message_stall == 0) return 0;
  const std::int64_t packets = (flits + packet_flits - 1) / packet_flits;
  const std::int64_t packet_blocks = packets_wait ? packets * ((packet_flits - 1) / depth) : 0;
  const std::int64_t message_blocks = (flits - 1) / (std::int64_t{depth} * timing.vcs);
  return packet_blocks * timing.packet_stall + message_blocks * timing.message_stall + timing.last_stall;
}

RouteTiming time_route(const topology::Topology& topology, const config::SystemConfig& system,
                       topology::NodeId src, std::span<const topology::Hop> route) {
  const Femtoseconds period = system.clock.period();
  RouteTiming timing{kInjectionDelay, period};
  topology::NodeId at = src;
  for (const topology::Hop& hop : route) {
    const auto channels = topology.out_channels(at);
    if (hop.out_port >= channels.size()) {
      timing.latency += pipeline(system) + kNiChannelLatency;
      break;
    }
    const topology::Channel& channel = topology.channel(channels[hop.out_port]);
    timing.latency += hop_latency(system, channel);
    const Femtoseconds flit_time = channel_flit_time(system, channel.bandwidth);
    timing.slowest_flit = std::max(timing.slowest_flit, flit_time);
    add_credit_stalls(timing, system, channel_credit_loop(system, channel), flit_time,
                      hop.vcs.end - hop.vcs.begin);
    at = channel.dst;
  }
  timing.slowest_flit =
      std::max(timing.slowest_flit, ejection_flit_time(system, !topology.is_accelerator(at)));
  return timing;
}

}  // namespace coppice::fabric
