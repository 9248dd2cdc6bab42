#include "fabric/route_timing.h"

#include <algorithm>
#include <cmath>

namespace coppice::fabric {

Femtoseconds channel_flit_time(const config::SystemConfig& system, Bandwidth bandwidth) {
  __extension__ using Wide = __int128;
  const Wide bytes_per_second = bandwidth.bytes_per_second;
  const Wide scaled = Wide{system.clock.period()} * system.flit * system.clock.hertz;
  return static_cast<Femtoseconds>((scaled + bytes_per_second - 1) / bytes_per_second);
}

Femtoseconds ejection_flit_time(const config::SystemConfig& system) {
  const Femtoseconds period = system.clock.period();
  const double rate = system.ni.reduction_flits_per_cycle;
  return rate >= 1.0 ? period : static_cast<Femtoseconds>(std::llround(static_cast<double>(period) / rate));
}

RouteTiming time_route(const topology::Topology& topology, const config::SystemConfig& system,
                       topology::NodeId src, std::span<const topology::Hop> route) {
  const Femtoseconds period = system.clock.period();
  const config::RouterConfig& router = system.router;
  const Cycles pipeline =
      router.routing_delay + router.vc_alloc_delay + (router.sw_alloc_delay - 1) + router.st_delay + 1;
  RouteTiming timing{kInjectionDelay, std::max(period, ejection_flit_time(system))};
  topology::NodeId at = src;
  for (const topology::Hop& hop : route) {
    timing.latency += pipeline;
    const auto channels = topology.out_channels(at);
    if (hop.out_port >= channels.size()) {
      timing.latency += kNiChannelLatency;
      break;
    }
    const topology::Channel& channel = topology.channel(channels[hop.out_port]);
    timing.latency += latency_cycles(channel.latency, period);
    timing.slowest_flit = std::max(timing.slowest_flit, channel_flit_time(system, channel.bandwidth));
    at = channel.dst;
  }
  return timing;
}

}  // namespace coppice::fabric
